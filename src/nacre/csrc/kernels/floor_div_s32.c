/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of int32 values, rounded down. */
#include "nacre_binary.h"

NACRE_CODE
void nacre_floor_div_s32(const int32_t *first, const int32_t *second, int32_t *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(int32_t, int32_t, int32_t, nacre_floor_div(a, b))
}
