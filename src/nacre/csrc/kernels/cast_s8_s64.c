/* SPDX-License-Identifier: Apache-2.0 */
/* int8 to int64. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s8_s64(const int8_t *input, int64_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows)
{
    NACRE_UNARY(int8_t, int64_t, x)
}
