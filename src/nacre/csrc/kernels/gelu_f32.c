/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian error linear unit of float32 values. */
#include "nacre_relu.h"

#include <math.h>

NACRE_CODE
void nacre_gelu_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows)
{
    NACRE_UNARY(float, float, 0.5f * x * (1.0f + erff(x * 0.70710678f)))
}
