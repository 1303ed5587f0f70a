/* SPDX-License-Identifier: Apache-2.0 */
/* int16 hyperbolic tangent. */
#include "nacre_sigmoid.h"
#include "nacre_sigmoid_s16.h"

NACRE_CODE
void nacre_tanh_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                    const uint16_t *table, const nacre_sigmoid_params_t *p, nacre_rows_t rows)
{
    NACRE_UNARY(int16_t, int16_t,
                nacre_tanh_step(table, nacre_sigmoid_input(x, p->multiplier, p->shift)))
}
