/* SPDX-License-Identifier: Apache-2.0 */
/* Transposed convolution, as a sum over what each output reads.
 *
 * y[oy][ox][oc] = act(bias[oc] + sum x[iy][ix][ic] * w[oc][ky][kx][ic]) over all taps (ky, kx) and
 * inputs with iy * stride_h - pad_top + ky = oy and ix * stride_w - pad_left + kx = ox.
 * Dilations and groups are not looked at. A row of weights has weights_pitch elements.
 * Rows are written in order, first to last. While row oy is written, input rows that it or a later
 * row needs may still be read, so the output may overlap input rows before those; it overlaps
 * nothing else. No scratch.
 */
#ifndef NACRE_TRANSPOSE_CONV_H
#define NACRE_TRANSPOSE_CONV_H

#include "nacre_conv.h"

/* acc = bias + sum (x - pad_value) * w; y = clamp(requantize(acc) + output_offset), rounded twice;
 * pad_value = zero_point(x). */
void nacre_transpose_conv_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                             const int32_t *requant, int8_t *output, const nacre_conv_params_t *p,
                             nacre_rows_t rows);

/* acc = bias + sum (x - pad_value) * (w + weights_offset); weights_offset = -zero_point(w). */
void nacre_transpose_conv_u8(const uint8_t *input, const uint8_t *weights, const int32_t *bias,
                             const int32_t *requant, uint8_t *output, const nacre_conv_params_t *p,
                             nacre_rows_t rows);

/* 64-bit accumulators, scaled by 16-bit multipliers, rounded once. Both zero points are 0. */
void nacre_transpose_conv_s16(const int16_t *input, const int8_t *weights, const int64_t *bias,
                              const int32_t *requant, int16_t *output,
                              const nacre_conv_params_t *p, nacre_rows_t rows);

/* Accumulators that wrap at 32 bits, rounded twice. Both zero points are 0. */
void nacre_transpose_conv_bias32_s16(const int16_t *input, const int8_t *weights,
                                     const int32_t *bias, const int32_t *requant, int16_t *output,
                                     const nacre_conv_params_t *p, nacre_rows_t rows);

/* Weights are [kernel_h][kernel_w][input_c][output_c]. */
void nacre_transpose_conv_f32(const float *input, const float *weights, const float *bias,
                              float *output, const nacre_conv_float_params_t *p,
                              nacre_rows_t rows);

/* The input was quantized at run time: x = range[0] * (q - range[1]).
 * y = clamp(range[0] * scales[oc] * sum (q - range[1]) * w + bias[oc]). */
void nacre_transpose_conv_hybrid_f32(const int8_t *input, const float *range, const int8_t *weights,
                                     const float *scales, const float *bias, float *output,
                                     const nacre_conv_float_params_t *p, nacre_rows_t rows);

#endif
