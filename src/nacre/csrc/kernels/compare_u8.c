/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of uint8 values. */
#include "nacre_compare.h"

NACRE_CODE
void nacre_compare_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                      const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows)
{
    NACRE_BINARY(uint8_t, uint8_t, uint8_t, (relations & nacre_relation(a, b)) != 0)
}
