/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of quantized int16 tensors. */
#include "nacre_div.h"

NACRE_CODE
void nacre_div_s16(const int16_t *first, const int16_t *second, int16_t *output,
                   const nacre_broadcast_t *shape, const nacre_div_params_t *p, nacre_rows_t rows)
{
    const nacre_div_params_t local = *p;
    NACRE_BINARY_COMPACT(int16_t, int16_t, int16_t, nacre_div_one(a, b, &local))
}
