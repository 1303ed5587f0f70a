/* SPDX-License-Identifier: Apache-2.0 */
/* int32 values with the other sign. */
#include "nacre_unary.h"

NACRE_CODE
void nacre_neg_s32(const int32_t *input, int32_t *output, const nacre_each_t *shape,
                   nacre_rows_t rows)
{
    NACRE_UNARY(int32_t, int32_t, 0u - (uint32_t)x)
}
