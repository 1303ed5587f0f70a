/* SPDX-License-Identifier: Apache-2.0 */
/* Hard swish of float32 values. */
#include "nacre_relu.h"

NACRE_CODE
void nacre_hard_swish_f32(const float *input, float *output, const nacre_each_t *shape,
                          nacre_rows_t rows)
{
    NACRE_UNARY(float, float, x * nacre_clamp_f32(x + 3.0f, 0.0f, 6.0f) / 6.0f)
}
