/* SPDX-License-Identifier: Apache-2.0 */
/* Two-dimensional convolution.
 *
 * y[oy][ox][oc] = act(requantize(bias[oc] + sum x[oy*stride_h - pad_top + ky*dilation_h]
 *                                              [ox*stride_w - pad_left + kx*dilation_w][ic]
 *                                            * w[oc][ky][kx][ic]) + output_offset)
 * The input offset is folded into the bias, so a tap in the padding reads `pad_value`
 * (the zero point of x). requant holds multiplier[output_c], then shift[output_c].
 * Output row oy is written after all input rows that it needs were read; rows go in order.
 */
#ifndef NACRE_CONV2D_H
#define NACRE_CONV2D_H

#include "nacre_kernel.h"

typedef struct {
    int32_t input_h;
    int32_t input_w;
    int32_t input_c;
    int32_t output_w;
    int32_t output_c;
    int32_t kernel_h;
    int32_t kernel_w;
    int32_t stride_h;
    int32_t stride_w;
    int32_t dilation_h;
    int32_t dilation_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t pad_value;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
    int32_t input_ring;
    int32_t output_ring;
} nacre_conv2d_params_t;

/* Reads the input in place. No scratch. */
void nacre_conv2d_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                     const int32_t *requant, int8_t *output, const nacre_conv2d_params_t *p,
                     nacre_rows_t rows);

/* Gathers the taps of one output pixel into scratch[kernel_h * kernel_w * input_c] first:
 * better when kernel_w * input_c is small. */
void nacre_conv2d_patch_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                           const int32_t *requant, int8_t *output, const nacre_conv2d_params_t *p,
                           nacre_rows_t rows, int8_t *scratch);

#endif
