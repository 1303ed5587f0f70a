/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 to int32. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_u8_s32(const uint8_t *input, int32_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows)
{
    NACRE_UNARY(uint8_t, int32_t, x)
}
