/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized int32 to int8 of another scale. */
#include "nacre_quantize.h"

NACRE_CODE
void nacre_requantize_s32_s8(const int32_t *input, int8_t *output, const nacre_each_t *shape,
                             const nacre_requantize_params_t *p, nacre_rows_t rows)
{
    const nacre_requantize_params_t local = *p;
    NACRE_UNARY(int32_t, int8_t, nacre_requantize_wide_one(x, &local))
}
