/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors divided by their length: y[c] = x[c] / sqrt(sum x^2), 0 <= c < depth.
 *
 * Tensors are walked as nacre_elementwise.h says; a row is made of vectors of depth >= 1 values.
 * Integers: x + input_offset, input_offset = -zero_point(x); outputs have scale 1/128 and zero
 * point 0 (int8) or 128 (uint8). Float vectors shorter than 1e-6 are divided by that.
 * The output may be the input.
 */
#ifndef NACRE_L2_NORMALIZATION_H
#define NACRE_L2_NORMALIZATION_H

#include "nacre_elementwise.h"

typedef struct {
    int32_t depth;
    int32_t input_offset;
} nacre_l2_normalization_params_t;

void nacre_l2_normalization_s8(const int8_t *input, int8_t *output, const nacre_each_t *shape,
                               const nacre_l2_normalization_params_t *p, nacre_rows_t rows);
void nacre_l2_normalization_u8(const uint8_t *input, uint8_t *output, const nacre_each_t *shape,
                               const nacre_l2_normalization_params_t *p, nacre_rows_t rows);
void nacre_l2_normalization_f32(const float *input, float *output, const nacre_each_t *shape,
                                int32_t depth, nacre_rows_t rows);

#endif
