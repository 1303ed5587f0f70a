/* SPDX-License-Identifier: Apache-2.0 */
/* uint32 to float32. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_u32_f32(const uint32_t *input, float *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(uint32_t, float, x)
}
