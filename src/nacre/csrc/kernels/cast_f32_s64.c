/* SPDX-License-Identifier: Apache-2.0 */
/* float32 to int64. */
#include "nacre_cast.h"

NACRE_CODE
static inline int64_t truncate_s64(float x)
{
    if (x >= 9223372036854775808.0f) {
        return INT64_MAX;
    }
    return x >= -9223372036854775808.0f ? (int64_t)x : x < 0.0f ? INT64_MIN : 0;
}

NACRE_CODE
void nacre_cast_f32_s64(const float *input, int64_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(float, int64_t, truncate_s64(x))
}
