/* SPDX-License-Identifier: Apache-2.0 */
/* int64 to int8. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s64_s8(const int64_t *input, int8_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows)
{
    NACRE_UNARY(int64_t, int8_t, x)
}
