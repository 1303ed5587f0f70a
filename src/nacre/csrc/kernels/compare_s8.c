/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of int8 values. */
#include "nacre_compare.h"

NACRE_CODE
void nacre_compare_s8(const int8_t *first, const int8_t *second, uint8_t *output,
                      const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows)
{
    NACRE_BINARY(int8_t, int8_t, uint8_t, (relations & nacre_relation(a, b)) != 0)
}
