/* SPDX-License-Identifier: Apache-2.0 */
/* Product of quantized int16 tensors. */
#include "nacre_mul.h"

NACRE_CODE
void nacre_mul_s16(const int16_t *first, const int16_t *second, int16_t *output,
                   const nacre_broadcast_t *shape, const nacre_mul_params_t *p, nacre_rows_t rows)
{
    const nacre_mul_params_t local = *p;
    const nacre_scale_t scale = nacre_scale_setup(p->output_multiplier, p->output_shift);
    NACRE_BINARY_COMPACT(int16_t, int16_t, int16_t, nacre_mul_one(a, b, &local, &scale))
}
