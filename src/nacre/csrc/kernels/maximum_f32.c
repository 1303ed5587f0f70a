/* SPDX-License-Identifier: Apache-2.0 */
/* Larger of two float32 values. */
#include "nacre_binary.h"

NACRE_CODE
void nacre_maximum_f32(const float *first, const float *second, float *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY(float, float, float, a > b ? a : b)
}
