/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized int8 to uint8 of another scale. */
#include "nacre_quantize.h"

NACRE_CODE
void nacre_requantize_s8_u8(const int8_t *input, uint8_t *output, const nacre_each_t *shape,
                            const nacre_requantize_params_t *p, nacre_rows_t rows)
{
    const nacre_requantize_params_t local = *p;
    const nacre_scale_t scale = nacre_scale_setup(p->multiplier, p->shift);
    NACRE_UNARY(int8_t, uint8_t, nacre_requantize_one(x, &local, &scale))
}
