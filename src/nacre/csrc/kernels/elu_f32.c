/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential linear unit of float32 values. */
#include "nacre_relu.h"

#include <math.h>

NACRE_CODE
void nacre_elu_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows)
{
    NACRE_UNARY(float, float, x < 0.0f ? expm1f(x) : x)
}
