/* SPDX-License-Identifier: Apache-2.0 */
/* Clamp of float32 values. */
#include "nacre_relu.h"

NACRE_CODE
void nacre_relu_f32(const float *input, float *output, const nacre_each_t *shape,
                    const nacre_range_f32_t *p, nacre_rows_t rows)
{
    NACRE_UNARY(float, float, nacre_limit_f32(x, p))
}
