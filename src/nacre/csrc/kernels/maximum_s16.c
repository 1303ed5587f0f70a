/* SPDX-License-Identifier: Apache-2.0 */
/* Larger of two int16 values. */
#include "nacre_binary.h"

NACRE_CODE
void nacre_maximum_s16(const int16_t *first, const int16_t *second, int16_t *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(int16_t, int16_t, int16_t, a > b ? a : b)
}
