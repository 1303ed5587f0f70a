/* SPDX-License-Identifier: Apache-2.0 */
/* Magnitude of int64 values. */
#include "nacre_unary.h"

NACRE_CODE
void nacre_abs_s64(const int64_t *input, int64_t *output, const nacre_each_t *shape,
                   nacre_rows_t rows)
{
    NACRE_UNARY(int64_t, int64_t, x < 0 ? (int64_t)(0u - (uint64_t)x) : x)
}
