/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 to int64. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_u8_s64(const uint8_t *input, int64_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows)
{
    NACRE_UNARY(uint8_t, int64_t, x)
}
