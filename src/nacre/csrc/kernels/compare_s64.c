/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of int64 values. */
#include "nacre_compare.h"

NACRE_CODE
void nacre_compare_s64(const int64_t *first, const int64_t *second, uint8_t *output,
                       const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows)
{
    NACRE_BINARY(int64_t, int64_t, uint8_t,
                 (relations & (a < b   ? NACRE_LESS
                               : a > b ? NACRE_GREATER
                                       : NACRE_EQUAL)) != 0)
}
