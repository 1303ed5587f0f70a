/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of quantized int8 tensors. */
#include "nacre_div.h"

NACRE_CODE
void nacre_div_s8(const int8_t *first, const int8_t *second, int8_t *output,
                  const nacre_broadcast_t *shape, const nacre_div_params_t *p, nacre_rows_t rows)
{
    const nacre_div_params_t local = *p;
    NACRE_BINARY_COMPACT(int8_t, int8_t, int8_t, nacre_div_one(a, b, &local))
}
