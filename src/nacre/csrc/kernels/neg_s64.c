/* SPDX-License-Identifier: Apache-2.0 */
/* int64 values with the other sign. */
#include "nacre_unary.h"

NACRE_CODE
void nacre_neg_s64(const int64_t *input, int64_t *output, const nacre_each_t *shape,
                   nacre_rows_t rows)
{
    NACRE_UNARY(int64_t, int64_t, UINT64_C(0) - (uint64_t)x)
}
