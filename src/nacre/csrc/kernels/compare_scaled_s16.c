/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of quantized int16 values. */
#include "nacre_compare.h"

NACRE_CODE
void nacre_compare_scaled_s16(const int16_t *first, const int16_t *second, uint8_t *output,
                              const nacre_broadcast_t *shape, const nacre_compare_params_t *p,
                              int32_t relations, nacre_rows_t rows)
{
    const nacre_compare_params_t local = *p;
    NACRE_BINARY_COMPACT(int16_t, int16_t, uint8_t,
                         (relations & nacre_relation_scaled(a, b, &local)) != 0)
}
