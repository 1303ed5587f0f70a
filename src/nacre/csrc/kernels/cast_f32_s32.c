/* SPDX-License-Identifier: Apache-2.0 */
/* float32 to int32. */
#include "nacre_cast.h"

NACRE_CODE
static inline int32_t truncate_s32(float x)
{
    if (x >= 2147483648.0f) {
        return INT32_MAX;
    }
    return x >= -2147483648.0f ? (int32_t)x : x < 0.0f ? INT32_MIN : 0;
}

NACRE_CODE
void nacre_cast_f32_s32(const float *input, int32_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(float, int32_t, truncate_s32(x))
}
