/* SPDX-License-Identifier: Apache-2.0 */
/* Difference of int64 tensors. */
#include "nacre_add.h"

NACRE_CODE
void nacre_sub_s64(const int64_t *first, const int64_t *second, int64_t *output,
                   const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(int64_t, int64_t, int64_t, (uint64_t)a - (uint64_t)b)
}
