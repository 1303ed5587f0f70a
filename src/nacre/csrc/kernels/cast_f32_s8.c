/* SPDX-License-Identifier: Apache-2.0 */
/* float32 to int8. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_f32_s8(const float *input, int8_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows)
{
    NACRE_UNARY(float, int8_t, nacre_truncate(x, INT8_MIN, INT8_MAX))
}
