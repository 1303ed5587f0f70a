/* SPDX-License-Identifier: Apache-2.0 */
/* int16 logistic function. */
#include "nacre_sigmoid.h"
#include "nacre_sigmoid_s16.h"

void nacre_logistic_s16(const int16_t *input, const uint16_t *table, int16_t *output,
                    const nacre_sigmoid_params_t *p)
{
    for (int32_t i = 0; i < p->count; ++i) {
        output[i] = nacre_logistic_step(table, nacre_sigmoid_input(input[i], p->multiplier, p->shift));
    }
}
