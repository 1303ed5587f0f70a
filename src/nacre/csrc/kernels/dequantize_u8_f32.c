/* SPDX-License-Identifier: Apache-2.0 */
/* Quantized uint8 to float32. */
#include "nacre_quantize.h"

NACRE_CODE
void nacre_dequantize_u8_f32(const uint8_t *input, float *output, const nacre_each_t *shape,
                             const nacre_dequantize_params_t *p, nacre_rows_t rows)
{
    NACRE_UNARY(uint8_t, float, p->scale * (float)(x - p->zero_point))
}
