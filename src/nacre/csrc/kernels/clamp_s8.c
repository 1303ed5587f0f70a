/* SPDX-License-Identifier: Apache-2.0 */
/* Clamp of int8 values. */
#include "nacre_relu.h"

NACRE_CODE
void nacre_clamp_s8(const int8_t *input, int8_t *output, const nacre_each_t *shape,
                    const nacre_range_s32_t *p, nacre_rows_t rows)
{
    const nacre_range_s32_t local = *p;
    NACRE_UNARY(int8_t, int8_t, nacre_limit_s32(x, &local))
}
