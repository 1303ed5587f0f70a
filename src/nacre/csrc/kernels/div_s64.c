/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of int64 tensors. */
#include "nacre_div.h"

NACRE_CODE
static inline int64_t quotient(int64_t a, int64_t b)
{
    if (b == -1) {
        return (int64_t)(0u - (uint64_t)a);
    }
    return b == 0 ? 0 : a / b;
}

NACRE_CODE
void nacre_div_s64(const int64_t *first, const int64_t *second, int64_t *output,
                   const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY_COMPACT(int64_t, int64_t, int64_t, quotient(a, b))
}
