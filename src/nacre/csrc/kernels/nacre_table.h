/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one 8-bit value as a table of 256 entries: y = table[x], bytes taken as unsigned.
 * Tensors are walked as nacre_elementwise.h says. */
#ifndef NACRE_TABLE_H
#define NACRE_TABLE_H

#include "nacre_elementwise.h"

void nacre_table_8(const uint8_t *input, uint8_t *output, const nacre_each_t *shape,
                   const uint8_t *table, nacre_rows_t rows);

#endif
