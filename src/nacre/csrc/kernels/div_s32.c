/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of int32 tensors. */
#include "nacre_div.h"

NACRE_CODE
static inline int32_t quotient(int32_t a, int32_t b)
{
    if (b == -1) {
        return (int32_t)(0u - (uint32_t)a);
    }
    return b == 0 ? 0 : a / b;
}

NACRE_CODE
void nacre_div_s32(const int32_t *first, const int32_t *second, int32_t *output,
                   const nacre_broadcast_t *shape, const nacre_range_s32_t *p, nacre_rows_t rows)
{
    NACRE_BINARY_COMPACT(int32_t, int32_t, int32_t, nacre_limit_s32(quotient(a, b), p))
}
