/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of float32 values. */
#include "nacre_compare.h"

NACRE_CODE
void nacre_compare_f32(const float *first, const float *second, uint8_t *output,
                       const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows)
{
    NACRE_BINARY(float, float, uint8_t, (relations & nacre_relation_f32(a, b)) != 0)
}
