/* SPDX-License-Identifier: Apache-2.0 */
/* Leaky ReLU of float32 values. */
#include "nacre_relu.h"

NACRE_CODE
void nacre_leaky_relu_f32(const float *input, float *output, const nacre_each_t *shape, float alpha,
                          nacre_rows_t rows)
{
    NACRE_UNARY(float, float, x > 0.0f ? x : x * alpha)
}
