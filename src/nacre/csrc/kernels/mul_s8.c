/* SPDX-License-Identifier: Apache-2.0 */
/* Product of quantized int8 tensors. */
#include "nacre_mul.h"

NACRE_CODE
void nacre_mul_s8(const int8_t *first, const int8_t *second, int8_t *output,
                  const nacre_broadcast_t *shape, const nacre_mul_params_t *p, nacre_rows_t rows)
{
    const nacre_mul_params_t local = *p;
    const nacre_scale_t scale = nacre_scale_setup(p->output_multiplier, p->output_shift);
    NACRE_BINARY_COMPACT(int8_t, int8_t, int8_t, nacre_mul_one(a, b, &local, &scale))
}
