/* SPDX-License-Identifier: Apache-2.0 */
/* Remainder of int16 values with the sign of the divisor. */
#include "nacre_binary.h"

NACRE_CODE
void nacre_floor_mod_s16(const int16_t *first, const int16_t *second, int16_t *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY_COMPACT(int16_t, int16_t, int16_t, nacre_floor_mod(a, b))
}
