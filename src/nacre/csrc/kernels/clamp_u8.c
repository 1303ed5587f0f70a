/* SPDX-License-Identifier: Apache-2.0 */
/* Clamp of uint8 values. */
#include "nacre_relu.h"

NACRE_CODE
void nacre_clamp_u8(const uint8_t *input, uint8_t *output, const nacre_each_t *shape,
                    const nacre_range_s32_t *p, nacre_rows_t rows)
{
    const nacre_range_s32_t local = *p;
    NACRE_UNARY(uint8_t, uint8_t, nacre_limit_s32(x, &local))
}
