/* SPDX-License-Identifier: Apache-2.0 */
/* Product of quantized uint8 tensors. */
#include "nacre_mul.h"

NACRE_CODE
void nacre_mul_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                  const nacre_broadcast_t *shape, const nacre_mul_params_t *p, nacre_rows_t rows)
{
    const nacre_mul_params_t local = *p;
    const nacre_scale_t scale = nacre_scale_setup(p->output_multiplier, p->output_shift);
    NACRE_BINARY_COMPACT(uint8_t, uint8_t, uint8_t, nacre_mul_one(a, b, &local, &scale))
}
