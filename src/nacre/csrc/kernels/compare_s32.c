/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of int32 values. */
#include "nacre_compare.h"

NACRE_CODE
void nacre_compare_s32(const int32_t *first, const int32_t *second, uint8_t *output,
                       const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows)
{
    NACRE_BINARY(int32_t, int32_t, uint8_t, (relations & nacre_relation(a, b)) != 0)
}
