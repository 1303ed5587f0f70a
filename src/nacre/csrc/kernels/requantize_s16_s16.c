/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized int16 to int16 of another scale. */
#include "nacre_quantize.h"

NACRE_CODE
void nacre_requantize_s16_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                              const nacre_requantize_params_t *p, nacre_rows_t rows)
{
    const nacre_requantize_params_t local = *p;
    const nacre_scale_t scale = nacre_scale_setup(p->multiplier, p->shift);
    NACRE_UNARY(int16_t, int16_t, nacre_requantize_one(x, &local, &scale))
}
