/* SPDX-License-Identifier: Apache-2.0 */
/* Pools over windows of rows and columns.
 *
 * The window of output (oy, ox) is input rows [oy*stride_h - pad_top, + kernel_h) and columns
 * [ox*stride_w - pad_left, + kernel_w), cut to the input; at least one tap is left. Per channel:
 *   average  y = clamp(sum x / taps), integers round ties away from zero
 *   max      y = clamp(max x)
 *   l2       y = clamp(sqrt(sum x^2 / taps))
 * x and y share scale and zero point. Output row oy is written after all input rows that it
 * needs were read; rows go in order. No scratch.
 */
#ifndef NACRE_POOL_H
#define NACRE_POOL_H

#include "nacre_kernel.h"

typedef struct {
    int32_t input_h;
    int32_t input_w;
    int32_t channels;
    int32_t output_w;
    int32_t kernel_h;
    int32_t kernel_w;
    int32_t stride_h;
    int32_t stride_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t input_ring;
    int32_t output_ring;
    int32_t activation_min;
    int32_t activation_max;
} nacre_pool2d_params_t;

typedef struct {
    int32_t input_h;
    int32_t input_w;
    int32_t channels;
    int32_t output_w;
    int32_t kernel_h;
    int32_t kernel_w;
    int32_t stride_h;
    int32_t stride_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t input_ring;
    int32_t output_ring;
    float activation_min;
    float activation_max;
} nacre_pool2d_f32_params_t;

/* |sum| stays below 2^31: at most 2^16 taps for int16, 2^24 for 8-bit types. */
void nacre_average_pool2d_s8(const int8_t *input, int8_t *output, const nacre_pool2d_params_t *p,
                             nacre_rows_t rows);
void nacre_average_pool2d_u8(const uint8_t *input, uint8_t *output, const nacre_pool2d_params_t *p,
                             nacre_rows_t rows);
void nacre_average_pool2d_s16(const int16_t *input, int16_t *output,
                              const nacre_pool2d_params_t *p, nacre_rows_t rows);
void nacre_average_pool2d_f32(const float *input, float *output,
                              const nacre_pool2d_f32_params_t *p, nacre_rows_t rows);

/* With Helium; averages of at most 255 taps. */
void nacre_average_pool2d_s8_mve(const int8_t *input, int8_t *output,
                                 const nacre_pool2d_params_t *p, nacre_rows_t rows);
void nacre_max_pool2d_s8_mve(const int8_t *input, int8_t *output, const nacre_pool2d_params_t *p,
                             nacre_rows_t rows);

void nacre_max_pool2d_s8(const int8_t *input, int8_t *output, const nacre_pool2d_params_t *p,
                         nacre_rows_t rows);
void nacre_max_pool2d_u8(const uint8_t *input, uint8_t *output, const nacre_pool2d_params_t *p,
                         nacre_rows_t rows);
void nacre_max_pool2d_s16(const int16_t *input, int16_t *output, const nacre_pool2d_params_t *p,
                          nacre_rows_t rows);
void nacre_max_pool2d_f32(const float *input, float *output, const nacre_pool2d_f32_params_t *p,
                          nacre_rows_t rows);

void nacre_l2_pool2d_f32(const float *input, float *output, const nacre_pool2d_f32_params_t *p,
                         nacre_rows_t rows);

#endif
