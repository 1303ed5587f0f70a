/* SPDX-License-Identifier: Apache-2.0 */
/* Squared difference of float32 tensors. */
#include "nacre_squared_difference.h"

NACRE_CODE
void nacre_squared_difference_f32(const float *first, const float *second, float *output,
                                  const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(float, float, float, (a - b) * (a - b))
}
