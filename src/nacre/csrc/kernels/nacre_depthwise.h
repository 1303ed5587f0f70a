/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution: every output channel reads one input channel.
 *
 * y[oy][ox][c] = act(bias[c] + sum x[row(oy, ky)][column(ox, kx)][c / multiplier] * w[ky][kx][c])
 * with multiplier = output_c / input_c; groups is not looked at.
 * Weights are [kernel_h][kernel_w][weights_pitch]. weights_pitch = output_c, or for few channels a
 * multiple of it: then that many pixels are computed side by side, and the weights of a tap are
 * repeated for each. The pitch is at most 32 then (16 for int16 and float).
 * Rows are written in order, first to last. While row oy is written, input rows that it or a later
 * row needs may still be read, so the output may overlap input rows before those; it overlaps
 * nothing else. No scratch.
 */
#ifndef NACRE_DEPTHWISE_H
#define NACRE_DEPTHWISE_H

#include "nacre_conv.h"

/* y = clamp(requantize(acc) + output_offset), rounded twice. The input's zero point is folded into
 * the bias, so a tap in the padding reads pad_value = zero_point(x). */
void nacre_depthwise_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                        const int32_t *requant, int8_t *output, const nacre_conv_params_t *p,
                        nacre_rows_t rows);

/* acc = bias + sum (x - pad_value) * (w + weights_offset); weights_offset = -zero_point(w).
 * Rounded twice. */
void nacre_depthwise_u8(const uint8_t *input, const uint8_t *weights, const int32_t *bias,
                        const int32_t *requant, uint8_t *output, const nacre_conv_params_t *p,
                        nacre_rows_t rows);

/* 64-bit accumulators, scaled by 16-bit multipliers, rounded once. Both zero points are 0. */
void nacre_depthwise_s16(const int16_t *input, const int8_t *weights, const int64_t *bias,
                         const int32_t *requant, int16_t *output, const nacre_conv_params_t *p,
                         nacre_rows_t rows);

/* Sums go in the order of the taps, the bias last. */
void nacre_depthwise_f32(const float *input, const float *weights, const float *bias, float *output,
                         const nacre_conv_float_params_t *p, nacre_rows_t rows);

/* The input was quantized at run time: x = range[0] * (q - range[1]).
 * y = clamp(range[0] * scales[c] * sum (q - range[1]) * w + bias[c]). */
void nacre_depthwise_hybrid_f32(const int8_t *input, const float *range, const int8_t *weights,
                                 const float *scales, const float *bias, float *output,
                                 const nacre_conv_float_params_t *p, nacre_rows_t rows);

#endif
