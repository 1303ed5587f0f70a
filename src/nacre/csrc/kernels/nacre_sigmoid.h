/* SPDX-License-Identifier: Apache-2.0 */
/* The logistic function and the hyperbolic tangent. Tensors are walked as nacre_elementwise.h says.
 *
 * int16: s = x * multiplier / 2^shift is the input in steps of 1 / 12288; table[i] is
 * 2^16 / (1 + exp(-i / 24)) for 0 <= i < 256, interpolated between entries; outputs are Q0.15.
 * 0 <= multiplier <= 32767, 0 <= shift <= 31.
 */
#ifndef NACRE_SIGMOID_H
#define NACRE_SIGMOID_H

#include "nacre_elementwise.h"

typedef struct {
    int32_t multiplier;
    int32_t shift;
} nacre_sigmoid_params_t;

/* y = 1 / (1 + exp(-x)) */
void nacre_logistic_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                        const uint16_t *table, const nacre_sigmoid_params_t *p, nacre_rows_t rows);
void nacre_logistic_f32(const float *input, float *output, const nacre_each_t *shape,
                        nacre_rows_t rows);

/* y = tanh(x) = 2 / (1 + exp(-2 x)) - 1 */
void nacre_tanh_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                    const uint16_t *table, const nacre_sigmoid_params_t *p, nacre_rows_t rows);
void nacre_tanh_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows);

#endif
