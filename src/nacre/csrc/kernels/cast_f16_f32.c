/* SPDX-License-Identifier: Apache-2.0 */
/* float16 to float32. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_f16_f32(const uint16_t *input, float *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(uint16_t, float, nacre_half(x))
}
