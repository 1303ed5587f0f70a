/* SPDX-License-Identifier: Apache-2.0 */
/* Table lookup of 8-bit values, row by row. */
#include "nacre_table.h"

NACRE_CODE
void nacre_table_8(const uint8_t *input, uint8_t *output, const nacre_each_t *shape,
                   const uint8_t *table, nacre_rows_t rows)
{
    NACRE_UNARY(uint8_t, uint8_t, table[x])
}
