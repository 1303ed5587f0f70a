/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of float32 tensors. */
#include "nacre_div.h"

NACRE_CODE
void nacre_div_f32(const float *first, const float *second, float *output,
                   const nacre_broadcast_t *shape, const nacre_range_f32_t *p, nacre_rows_t rows)
{
    NACRE_BINARY(float, float, float, nacre_limit_f32(a / b, p))
}
