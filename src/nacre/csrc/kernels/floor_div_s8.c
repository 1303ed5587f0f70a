/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of int8 values, rounded down. */
#include "nacre_binary.h"

NACRE_CODE
void nacre_floor_div_s8(const int8_t *first, const int8_t *second, int8_t *output,
                        const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(int8_t, int8_t, int8_t, nacre_floor_div(a, b))
}
