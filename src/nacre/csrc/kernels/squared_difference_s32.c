/* SPDX-License-Identifier: Apache-2.0 */
/* Squared difference of int32 tensors. */
#include "nacre_squared_difference.h"

NACRE_CODE
void nacre_squared_difference_s32(const int32_t *first, const int32_t *second, int32_t *output,
                                  const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(int32_t, int32_t, int32_t,
                 ((uint32_t)a - (uint32_t)b) * ((uint32_t)a - (uint32_t)b))
}
