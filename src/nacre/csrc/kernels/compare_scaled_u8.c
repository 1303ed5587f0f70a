/* SPDX-License-Identifier: Apache-2.0 */
/* Comparison of quantized uint8 values. */
#include "nacre_compare.h"

NACRE_CODE
void nacre_compare_scaled_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                             const nacre_broadcast_t *shape, const nacre_compare_params_t *p,
                             int32_t relations, nacre_rows_t rows)
{
    const nacre_compare_params_t local = *p;
    NACRE_BINARY_COMPACT(uint8_t, uint8_t, uint8_t,
                         (relations & nacre_relation_scaled(a, b, &local)) != 0)
}
