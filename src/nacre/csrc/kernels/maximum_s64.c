/* SPDX-License-Identifier: Apache-2.0 */
/* Larger of two int64 values. */
#include "nacre_binary.h"

NACRE_CODE
void nacre_maximum_s64(const int64_t *first, const int64_t *second, int64_t *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(int64_t, int64_t, int64_t, a > b ? a : b)
}
