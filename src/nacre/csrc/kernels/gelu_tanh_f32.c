/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian error linear unit of float32 values by its tanh approximation. */
#include "nacre_relu.h"

#include <math.h>

NACRE_CODE
void nacre_gelu_tanh_f32(const float *input, float *output, const nacre_each_t *shape,
                         nacre_rows_t rows)
{
    NACRE_UNARY(float, float,
                0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x))))
}
