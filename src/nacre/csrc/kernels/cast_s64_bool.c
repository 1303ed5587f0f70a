/* SPDX-License-Identifier: Apache-2.0 */
/* int64 to bool. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s64_bool(const int64_t *input, uint8_t *output, const nacre_each_t *shape,
                         nacre_rows_t rows)
{
    NACRE_UNARY(int64_t, uint8_t, x != 0)
}
