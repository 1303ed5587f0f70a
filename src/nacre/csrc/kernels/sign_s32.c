/* SPDX-License-Identifier: Apache-2.0 */
/* Sign of int32 values. */
#include "nacre_unary.h"

NACRE_CODE
void nacre_sign_s32(const int32_t *input, int32_t *output, const nacre_each_t *shape,
                    nacre_rows_t rows)
{
    NACRE_UNARY(int32_t, int32_t, (x > 0) - (x < 0))
}
