/* SPDX-License-Identifier: Apache-2.0 */
/* int64 to int32. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s64_s32(const int64_t *input, int32_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(int64_t, int32_t, x)
}
