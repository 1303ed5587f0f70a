/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of quantized uint8 tensors. */
#include "nacre_div.h"

NACRE_CODE
void nacre_div_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                  const nacre_broadcast_t *shape, const nacre_div_params_t *p, nacre_rows_t rows)
{
    const nacre_div_params_t local = *p;
    NACRE_BINARY_COMPACT(uint8_t, uint8_t, uint8_t, nacre_div_one(a, b, &local))
}
