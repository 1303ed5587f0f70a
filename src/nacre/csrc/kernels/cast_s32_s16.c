/* SPDX-License-Identifier: Apache-2.0 */
/* int32 to int16. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s32_s16(const int32_t *input, int16_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(int32_t, int16_t, x)
}
