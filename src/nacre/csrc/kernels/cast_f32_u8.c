/* SPDX-License-Identifier: Apache-2.0 */
/* float32 to uint8. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_f32_u8(const float *input, uint8_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows)
{
    NACRE_UNARY(float, uint8_t, nacre_truncate(x, 0, UINT8_MAX))
}
