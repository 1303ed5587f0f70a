/* SPDX-License-Identifier: Apache-2.0 */
/* Magnitude of quantized int16 values, to another scale. */
#include "nacre_quantize.h"

NACRE_CODE
static inline int32_t magnitude(int32_t x, const nacre_requantize_params_t *p)
{
    const int32_t centred = x + p->input_offset;
    const int32_t scaled =
        nacre_requantize(centred < 0 ? -centred : centred, p->multiplier, p->shift);
    return nacre_clamp_offset(scaled, p->output_offset, p->low, p->high);
}

NACRE_CODE
void nacre_abs_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                   const nacre_requantize_params_t *p, nacre_rows_t rows)
{
    const nacre_requantize_params_t local = *p;
    NACRE_UNARY(int16_t, int16_t, magnitude(x, &local))
}
