/* SPDX-License-Identifier: Apache-2.0 */
/* Table lookup of 8-bit values. */
#include "nacre_lookup.h"

void nacre_lookup_8(const uint8_t *input, const uint8_t *table, uint8_t *output, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        output[i] = table[input[i]];
    }
}
