/* SPDX-License-Identifier: Apache-2.0 */
/* Larger of two uint8 values. */
#include "nacre_binary.h"

NACRE_CODE
void nacre_maximum_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                      const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(uint8_t, uint8_t, uint8_t, a > b ? a : b)
}
