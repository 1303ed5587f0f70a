/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of float32 values, rounded down. */
#include "nacre_binary.h"

#include <math.h>

NACRE_CODE
void nacre_floor_div_f32(const float *first, const float *second, float *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(float, float, float, floorf(a / b))
}
