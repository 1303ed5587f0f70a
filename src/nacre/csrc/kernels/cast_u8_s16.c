/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 to int16. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_u8_s16(const uint8_t *input, int16_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows)
{
    NACRE_UNARY(uint8_t, int16_t, x)
}
