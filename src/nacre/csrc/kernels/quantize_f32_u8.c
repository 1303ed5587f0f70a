/* SPDX-License-Identifier: Apache-2.0 */
/* float32 to quantized uint8. */
#include "nacre_quantize.h"

NACRE_CODE
void nacre_quantize_f32_u8(const float *input, uint8_t *output, const nacre_each_t *shape,
                           const nacre_quantize_params_t *p, nacre_rows_t rows)
{
    const nacre_quantize_params_t local = *p;
    NACRE_UNARY(float, uint8_t, nacre_quantize_one(x, &local))
}
