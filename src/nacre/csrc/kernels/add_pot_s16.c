/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of int16 tensors whose scales are powers of two. */
#include "nacre_add.h"

NACRE_CODE
static inline int32_t add(int32_t a, int32_t b, const nacre_add_pot_params_t *p)
{
    const int32_t x = nacre_rounding_shift(a, p->first_shift);
    const int32_t z = nacre_rounding_shift(b, p->second_shift);
    return nacre_clamp(x + z * p->second_sign, p->activation_min, p->activation_max);
}

NACRE_CODE
void nacre_add_pot_s16(const int16_t *first, const int16_t *second, int16_t *output,
                       const nacre_broadcast_t *shape, const nacre_add_pot_params_t *p,
                       nacre_rows_t rows)
{
    const nacre_add_pot_params_t local = *p;
    NACRE_BINARY_COMPACT(int16_t, int16_t, int16_t, add(a, b, &local))
}
