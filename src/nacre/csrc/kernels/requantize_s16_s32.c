/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized int16 to int32 of another scale. */
#include "nacre_quantize.h"

NACRE_CODE
void nacre_requantize_s16_s32(const int16_t *input, int32_t *output, const nacre_each_t *shape,
                              const nacre_requantize_params_t *p, nacre_rows_t rows)
{
    const nacre_requantize_params_t local = *p;
    const nacre_scale_t scale = nacre_scale_setup(p->multiplier, p->shift);
    NACRE_UNARY(int16_t, int32_t, nacre_requantize_one(x, &local, &scale))
}
