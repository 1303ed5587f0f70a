/* SPDX-License-Identifier: Apache-2.0 */
/* Squared difference of quantized int8 tensors. */
#include "nacre_squared_difference.h"

NACRE_CODE
void nacre_squared_difference_s8(const int8_t *first, const int8_t *second, int8_t *output,
                                 const nacre_broadcast_t *shape,
                                 const nacre_squared_difference_params_t *p, nacre_rows_t rows)
{
    const nacre_squared_difference_params_t local = *p;
    NACRE_BINARY_COMPACT(int8_t, int8_t, int8_t, nacre_squared_difference_one(a, b, &local))
}
