/* SPDX-License-Identifier: Apache-2.0 */
/* Float layers on Helium. Weights and bias are in blocks of eight output channels, the last one
 * filled up with zeros:
 *   convolution      weights[block][kernel_h][kernel_w][input channel][8], one group
 *   fully connected  weights[block][input][8]
 *   depthwise        weights[kernel_h][kernel_w][channel], as many outputs as inputs; channels
 *                    filled up to a multiple of four in weights and bias, weights_pitch with them
 * Sums run over rows, columns and channels of the window in that order, the bias comes last; a
 * product and its sum round once. Windows of rows and rings are those of the portable kernels.
 */
#ifndef NACRE_F32_MVE_H
#define NACRE_F32_MVE_H

#include "nacre_conv.h"
#include "nacre_elementwise.h"
#include "nacre_fully_connected.h"
#include "nacre_range.h"

void nacre_conv2d_f32_mve(const float *input, const float *weights, const float *bias,
                          float *output, const nacre_conv_float_params_t *p, nacre_rows_t rows);
void nacre_depthwise_f32_mve(const float *input, const float *weights, const float *bias,
                             float *output, const nacre_conv_float_params_t *p,
                             nacre_rows_t rows);
void nacre_fully_connected_f32_mve(const float *input, const float *weights, const float *bias,
                                   float *output, const nacre_fully_connected_float_params_t *p);

/* Tensors of one shape: the inner loops of `shape` are one run. */
void nacre_add_f32_mve(const float *first, const float *second, float *output,
                       const nacre_broadcast_t *shape, const nacre_range_f32_t *p,
                       nacre_rows_t rows);
void nacre_sub_f32_mve(const float *first, const float *second, float *output,
                       const nacre_broadcast_t *shape, const nacre_range_f32_t *p,
                       nacre_rows_t rows);
void nacre_mul_f32_mve(const float *first, const float *second, float *output,
                       const nacre_broadcast_t *shape, const nacre_range_f32_t *p,
                       nacre_rows_t rows);

#endif
