/* SPDX-License-Identifier: Apache-2.0 */
/* int32 to bool. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s32_bool(const int32_t *input, uint8_t *output, const nacre_each_t *shape,
                         nacre_rows_t rows)
{
    NACRE_UNARY(int32_t, uint8_t, x != 0)
}
