/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of int16 values, rounded down. */
#include "nacre_binary.h"

NACRE_CODE
void nacre_floor_div_s16(const int16_t *first, const int16_t *second, int16_t *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(int16_t, int16_t, int16_t, nacre_floor_div(a, b))
}
