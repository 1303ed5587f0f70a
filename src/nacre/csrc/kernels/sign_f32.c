/* SPDX-License-Identifier: Apache-2.0 */
/* Sign of float32 values. */
#include "nacre_unary.h"

NACRE_CODE
void nacre_sign_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows)
{
    NACRE_UNARY(float, float, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f)
}
