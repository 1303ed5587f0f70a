/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized int16 to int16 of another scale. */
#include "nacre_quantize.h"

void nacre_requantize_s16_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                              const nacre_requantize_params_t *p, nacre_rows_t rows)
{
    NACRE_UNARY(int16_t, int16_t, nacre_requantize_one(x, p))
}
