/* SPDX-License-Identifier: Apache-2.0 */
/* int16 to int8. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s16_s8(const int16_t *input, int8_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows)
{
    NACRE_UNARY(int16_t, int8_t, x)
}
