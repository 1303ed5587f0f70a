/* SPDX-License-Identifier: Apache-2.0 */
/* Two-dimensional convolution, in groups of channels.
 *
 * y[oy][ox][oc] = act(bias[oc] + sum x[row(oy, ky)][column(ox, kx)][ic] * w[oc][ky][kx][ic])
 * summed over the taps and the input channels of the group of oc: input_c / groups of them, read
 * by output_c / groups output channels. The weights of an output channel are one row of
 * weights_pitch elements.
 * Rows are written in order, first to last. While row oy is written, input rows that it or a later
 * row needs may still be read, so the output may overlap input rows before those; it overlaps
 * nothing else. No scratch.
 */
#ifndef NACRE_CONV2D_H
#define NACRE_CONV2D_H

#include "nacre_conv.h"

/* y = clamp(requantize(acc) + output_offset), rounded twice. The input's zero point is folded into
 * the bias, so a tap in the padding reads pad_value = zero_point(x). With taps =
 * kernel_h * kernel_w * input_c / groups, weights_pitch = taps, except that a row of fewer than 64
 * taps is filled with zeros up to a multiple of 16. */
void nacre_conv2d_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                     const int32_t *requant, int8_t *output, const nacre_conv_params_t *p,
                     nacre_rows_t rows);

/* acc = bias + sum (x - pad_value) * (w + weights_offset); weights_offset = -zero_point(w).
 * Rounded twice; rows of weights as in nacre_conv2d_s8. */
void nacre_conv2d_u8(const uint8_t *input, const uint8_t *weights, const int32_t *bias,
                     const int32_t *requant, uint8_t *output, const nacre_conv_params_t *p,
                     nacre_rows_t rows);

/* 64-bit accumulators, scaled by 16-bit multipliers, rounded once. Both zero points are 0. */
void nacre_conv2d_s16(const int16_t *input, const int8_t *weights, const int64_t *bias,
                      const int32_t *requant, int16_t *output, const nacre_conv_params_t *p,
                      nacre_rows_t rows);

/* Accumulators that wrap at 32 bits, rounded twice. Both zero points are 0. */
void nacre_conv2d_bias32_s16(const int16_t *input, const int8_t *weights, const int32_t *bias,
                             const int32_t *requant, int16_t *output, const nacre_conv_params_t *p,
                             nacre_rows_t rows);

/* Weights are [groups][kernel_h][kernel_w][input_c / groups][output_c / groups]; sums go in the
 * order of the taps, the bias last. */
void nacre_conv2d_f32(const float *input, const float *weights, const float *bias, float *output,
                      const nacre_conv_float_params_t *p, nacre_rows_t rows);

/* The input was quantized at run time: x = range[0] * (q - range[1]).
 * y = clamp(range[0] * scales[oc] * (acc - range[1] * sums[oc]) + bias[oc]), acc over all taps with
 * range[1] in the padding, sums[oc] = sum of the weights; rows of weights as in nacre_conv2d_s8. */
void nacre_conv2d_hybrid_f32(const int8_t *input, const float *range, const int8_t *weights,
                              const int32_t *sums, const float *scales, const float *bias,
                              float *output, const nacre_conv_float_params_t *p, nacre_rows_t rows);

#endif
