/* SPDX-License-Identifier: Apache-2.0 */
/* int64 to int16. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s64_s16(const int64_t *input, int16_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(int64_t, int16_t, x)
}
