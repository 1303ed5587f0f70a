/* SPDX-License-Identifier: Apache-2.0 */
/* float32 values with the other sign. */
#include "nacre_unary.h"

NACRE_CODE
void nacre_neg_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows)
{
    NACRE_UNARY(float, float, -x)
}
