/* SPDX-License-Identifier: Apache-2.0 */
/* float32 to int16. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_f32_s16(const float *input, int16_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(float, int16_t, nacre_truncate(x, INT16_MIN, INT16_MAX))
}
