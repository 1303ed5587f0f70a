/* SPDX-License-Identifier: Apache-2.0 */
/* Smaller of two int8 values. */
#include "nacre_binary.h"

NACRE_CODE
void nacre_minimum_s8(const int8_t *first, const int8_t *second, int8_t *output,
                      const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(int8_t, int8_t, int8_t, a < b ? a : b)
}
