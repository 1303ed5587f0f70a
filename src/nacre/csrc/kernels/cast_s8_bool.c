/* SPDX-License-Identifier: Apache-2.0 */
/* int8 to bool. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s8_bool(const int8_t *input, uint8_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(int8_t, uint8_t, x != 0)
}
