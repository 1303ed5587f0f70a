/* SPDX-License-Identifier: Apache-2.0 */
/* Power of int32 values. */
#include "nacre_binary.h"

NACRE_CODE
static inline int32_t power(int32_t a, int32_t b)
{
    uint32_t result = 1;
    uint32_t factor = (uint32_t)a;
    if (b < 0) {
        return a == 1 ? 1 : a == -1 ? 1 - 2 * (b & 1) : 0;
    }
    for (; b > 0; b >>= 1) {
        result *= (b & 1) != 0 ? factor : 1u;
        factor *= factor;
    }
    return (int32_t)result;
}

NACRE_CODE
void nacre_pow_s32(const int32_t *first, const int32_t *second, int32_t *output,
                   const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY_COMPACT(int32_t, int32_t, int32_t, power(a, b))
}
