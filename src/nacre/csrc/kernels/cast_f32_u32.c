/* SPDX-License-Identifier: Apache-2.0 */
/* float32 to uint32. */
#include "nacre_cast.h"

NACRE_CODE
static inline uint32_t truncate_u32(float x)
{
    if (x >= 4294967296.0f) {
        return UINT32_MAX;
    }
    return x > 0.0f ? (uint32_t)x : 0;
}

NACRE_CODE
void nacre_cast_f32_u32(const float *input, uint32_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(float, uint32_t, truncate_u32(x))
}
