/* SPDX-License-Identifier: Apache-2.0 */
/* Difference of int32 tensors. */
#include "nacre_add.h"

NACRE_CODE
void nacre_sub_s32(const int32_t *first, const int32_t *second, int32_t *output,
                   const nacre_broadcast_t *shape, const nacre_range_s32_t *p, nacre_rows_t rows)
{
    NACRE_BINARY(int32_t, int32_t, int32_t,
                 nacre_limit_s32((int32_t)((uint32_t)a - (uint32_t)b), p))
}
