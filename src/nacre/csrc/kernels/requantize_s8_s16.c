/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized int8 to int16 of another scale. */
#include "nacre_quantize.h"

void nacre_requantize_s8_s16(const int8_t *input, int16_t *output, const nacre_each_t *shape,
                             const nacre_requantize_params_t *p, nacre_rows_t rows)
{
    NACRE_UNARY(int8_t, int16_t, nacre_requantize_one(x, p))
}
