/* SPDX-License-Identifier: Apache-2.0 */
/* int8 convolutions for cores with the DSP extension (Armv7E-M, Armv8-M): same results as the
 * portable kernels, bit for bit; parameters, rows and rings as in nacre_conv.h.
 *
 * `weights` is a stream of words that is read once per pixel (depthwise) or pair of pixels, in the
 * order in which the kernel needs it. Weights have 8 bits, or 16 in the `wide` kernels. There they
 * are shifted as `acc` is, and further left where the multiplier has a left shift; the other
 * kernels shift the sum. Shifted sums have 32 bits.
 *
 *   scale of a channel: {multiplier, nudge, exponent}
 *   nudge = 2^(exponent - 1) + zero_point(y) * 2^exponent
 *   rounded twice: y = (round(2 * acc * multiplier / 2^32) + nudge - (acc < 0)) >> exponent
 *   rounded once:  y = (floor(4 * acc * multiplier / 2^32) + nudge) >> exponent
 * and y is clamped. All channels of a layer are rounded alike: once where exponents are negative,
 * of which the lowest byte counts, and is at least 1. Rounded twice, an exponent may be 0 with
 * nudge = zero_point(y) where a clamp hides what is below zero.
 *
 * conv2d, channels in pairs, an odd last one with the one before it:
 *   {bias, bias}, per four taps of a kernel row (filled up with zeros) the weights of both, scales
 * depthwise, channels in fours, the last four from output_c - 4 on; input_c = output_c >= 4:
 *   {bias x 4}, per tap the weights of all four, scales
 * Four bytes b0..b3 are two words of 16 bits each as b0 | b2 << 16, b1 | b3 << 16.
 * weights_pitch counts the words of a pair, or of four channels. Output and input may overlap row
 * by row as with the portable kernels. Scratch is aligned to 4 bytes:
 *   conv2d: 16 * kernel_h * ceil(kernel_w * input_c / 4) bytes for the taps of two pixels, then,
 *           with padding to the left or right or with dilation_w > 1, kernel_w * input_c bytes
 *   depthwise: 4 * kernel_h * kernel_w bytes for pointers (3x3 kernels: 48), then, with padding,
 *           input_c bytes
 * The 3x3 kernels take stride_w = 1 and dilation_w = 1.
 */
#ifndef NACRE_CONV_DSP_H
#define NACRE_CONV_DSP_H

#include "nacre_conv.h"

/* Pairs of channels of two pixels. */
typedef struct {
    const int32_t *x;
    int8_t *y0;
    int8_t *y1;
    const int32_t *x_end;
    int32_t skip; /* bytes of code before the first group of four taps; a block has eight */
    const int32_t *weights;
    const int32_t *weights_end;
} nacre_conv_tile_t;

/* Channels in fours of one pixel. */
typedef struct {
    const int8_t *const *taps;
    int32_t blocks; /* of nine taps */
    int32_t skip;   /* bytes of code before the first tap that the first block has */
    int8_t *y_end;
    int8_t *y;
    int32_t index; /* from where the taps point to, the first channel */
    const int32_t *weights;
} nacre_depthwise_tile_t;

/* The same for two pixels side by side of a 3x3 convolution, four taps in each row. */
typedef struct {
    const int8_t *const *taps;
    int8_t *y0;
    int8_t *y1;
    int8_t *y_end; /* of the left pixel */
    int32_t index;
    const int32_t *weights;
} nacre_depthwise_pair_t;

/* Bytes of code for a tap of a tile. */
enum { NACRE_DEPTHWISE_TAP = 44, NACRE_DEPTHWISE_WIDE_TAP = 36 };

void nacre_depthwise_tile_s8_dsp(const nacre_depthwise_tile_t *tile);
void nacre_depthwise_tile_wide_s8_dsp(const nacre_depthwise_tile_t *tile);

void nacre_conv2d_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                         const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch);
void nacre_conv2d_wide_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                              const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch);
void nacre_depthwise_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                            const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch);
void nacre_depthwise_wide_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                                 const nacre_conv_params_t *p, nacre_rows_t rows,
                                 int32_t *scratch);
void nacre_depthwise_3x3_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                                const nacre_conv_params_t *p, nacre_rows_t rows,
                                int32_t *scratch);
void nacre_depthwise_3x3_wide_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                                     const nacre_conv_params_t *p, nacre_rows_t rows,
                                     int32_t *scratch);

#endif
