/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized int32 to int16 of another scale. */
#include "nacre_quantize.h"

NACRE_CODE
void nacre_requantize_s32_s16(const int32_t *input, int16_t *output, const nacre_each_t *shape,
                              const nacre_requantize_params_t *p, nacre_rows_t rows)
{
    const nacre_requantize_params_t local = *p;
    NACRE_UNARY(int32_t, int16_t, nacre_requantize_wide_one(x, &local))
}
