/* SPDX-License-Identifier: Apache-2.0 */
/* Clamp of int16 values. */
#include "nacre_relu.h"

NACRE_CODE
void nacre_clamp_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                     const nacre_range_s32_t *p, nacre_rows_t rows)
{
    const nacre_range_s32_t local = *p;
    NACRE_UNARY(int16_t, int16_t, nacre_limit_s32(x, &local))
}
