/* SPDX-License-Identifier: Apache-2.0 */
/* int16 to float32. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s16_f32(const int16_t *input, float *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(int16_t, float, x)
}
