/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 to float32. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_u8_f32(const uint8_t *input, float *output, const nacre_each_t *shape,
                       nacre_rows_t rows)
{
    NACRE_UNARY(uint8_t, float, x)
}
