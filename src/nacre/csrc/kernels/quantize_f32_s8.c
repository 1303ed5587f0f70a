/* SPDX-License-Identifier: Apache-2.0 */
/* float32 to quantized int8. */
#include "nacre_quantize.h"

NACRE_CODE
void nacre_quantize_f32_s8(const float *input, int8_t *output, const nacre_each_t *shape,
                           const nacre_quantize_params_t *p, nacre_rows_t rows)
{
    const nacre_quantize_params_t local = *p;
    NACRE_UNARY(float, int8_t, nacre_quantize_one(x, &local))
}
