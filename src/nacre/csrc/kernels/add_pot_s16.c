/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of int16 tensors whose scales are powers of two. */
#include "nacre_add.h"

void nacre_add_pot_s16(const int16_t *first, const int16_t *second, int16_t *output,
                       const nacre_broadcast_t *shape, const nacre_add_pot_params_t *p,
                       nacre_rows_t rows)
{
    NACRE_BINARY_COMPACT(int16_t, int16_t, int16_t,
                         nacre_clamp(nacre_rounding_shift(a, p->first_shift) +
                                         p->second_sign * nacre_rounding_shift(b, p->second_shift),
                                     p->activation_min, p->activation_max))
}
