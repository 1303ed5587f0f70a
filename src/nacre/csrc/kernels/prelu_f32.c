/* SPDX-License-Identifier: Apache-2.0 */
/* Leaky ReLU of float32 values with slopes from a tensor. */
#include "nacre_relu.h"

NACRE_CODE
void nacre_prelu_f32(const float *first, const float *second, float *output,
                     const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(float, float, float, a >= 0.0f ? a : a * b)
}
