/* SPDX-License-Identifier: Apache-2.0 */
/* int16 to bool. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s16_bool(const int16_t *input, uint8_t *output, const nacre_each_t *shape,
                         nacre_rows_t rows)
{
    NACRE_UNARY(int16_t, uint8_t, x != 0)
}
