/* SPDX-License-Identifier: Apache-2.0 */
/* int8 to float32. */
#include "nacre_cast.h"

NACRE_CODE
void nacre_cast_s8_f32(const int8_t *input, float *output, const nacre_each_t *shape,
                       nacre_rows_t rows)
{
    NACRE_UNARY(int8_t, float, x)
}
