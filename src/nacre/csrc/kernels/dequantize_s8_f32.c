/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized int8 to float32. */
#include "nacre_quantize.h"

NACRE_CODE
void nacre_dequantize_s8_f32(const int8_t *input, float *output, const nacre_each_t *shape,
                             const nacre_dequantize_params_t *p, nacre_rows_t rows)
{
    NACRE_UNARY(int8_t, float, p->scale * (float)(x - p->zero_point))
}
