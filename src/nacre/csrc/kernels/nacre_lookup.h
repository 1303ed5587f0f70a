/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one 8-bit value as a table: output[i] = table[input[i]], bytes taken as unsigned.
 *
 * table has 256 entries. The output may be the input.
 */
#ifndef NACRE_LOOKUP_H
#define NACRE_LOOKUP_H

#include "nacre_kernel.h"

void nacre_lookup_8(const uint8_t *input, const uint8_t *table, uint8_t *output, int32_t count);

#endif
