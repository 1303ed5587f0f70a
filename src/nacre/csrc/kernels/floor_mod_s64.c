/* SPDX-License-Identifier: Apache-2.0 */
/* Remainder of int64 values with the sign of the divisor. */
#include "nacre_binary.h"

NACRE_CODE
static inline int64_t floor_mod(int64_t a, int64_t b)
{
    const int64_t rest = b == 0 || b == -1 ? 0 : a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

NACRE_CODE
void nacre_floor_mod_s64(const int64_t *first, const int64_t *second, int64_t *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY_COMPACT(int64_t, int64_t, int64_t, floor_mod(a, b))
}
