/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels of all convolutions share: parameters, rings of rows, taps inside the input.
 *
 * Output pixel (oy, ox) reads input row oy * stride_h - pad_top + ky * dilation_h and column
 * ox * stride_w - pad_left + kx * dilation_w for every tap (ky, kx). requant holds
 * multiplier[output_c], then shift[output_c]; all are rounded alike (nacre_requant.h).
 */
#ifndef NACRE_CONV_H
#define NACRE_CONV_H

#include "nacre_kernel.h"
#include "nacre_requant.h"

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
    int32_t groups;
    int32_t weights_pitch;
    int32_t pad_value;
    int32_t weights_offset;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
    int32_t input_ring;
    int32_t output_ring;
} nacre_conv_params_t;

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
    int32_t groups;
    int32_t weights_pitch;
    float activation_min;
    float activation_max;
    int32_t input_ring;
    int32_t output_ring;
} nacre_conv_float_params_t;

/* Where row y of a tensor is kept. Whole tensors spare the division. */
NACRE_CODE
static inline int32_t nacre_ring_row(int32_t y, int32_t ring)
{
    return y < ring ? y : y % ring;
}

/* The zero point of values that were quantized at run time, within int8 whatever is stored. */
NACRE_CODE
static inline int32_t nacre_hybrid_zero(float x)
{
    return x > -128.0f ? (x < 127.0f ? (int32_t)x : 127) : -128;
}

/* The taps k of [0, kernel) for which 0 <= start + k * dilation < size. */
NACRE_CODE
static inline nacre_rows_t nacre_taps_inside(int32_t start, int32_t size, int32_t dilation,
                                             int32_t kernel)
{
    const int32_t before = start < 0 ? (dilation - 1 - start) / dilation : 0;
    const int32_t after = size > start ? (size - start + dilation - 1) / dilation : 0;
    const nacre_rows_t taps = {nacre_min(before, kernel), nacre_min(after, kernel)};
    return taps;
}

/* y[j] = clamp(requantize(acc[j]) + output_offset) for the n channels that requant points to;
 * their shifts are output_c further on. */
void nacre_conv_finish_s8(const int32_t *acc, const int32_t *requant, int32_t n,
                          const nacre_conv_params_t *p, int8_t *y);
void nacre_conv_finish_u8(const int32_t *acc, const int32_t *requant, int32_t n,
                          const nacre_conv_params_t *p, uint8_t *y);

#endif
