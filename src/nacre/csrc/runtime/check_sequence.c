/* SPDX-License-Identifier: Apache-2.0 */
/* Check of float recurrent layers over sequences; the variant is the number of gates. */
#include "../kernels/nacre_recurrent.h"
#include "nacre_checks.h"

/* x, weights and bias are pointers 0 to 3; behind them, for LSTM the peepholes and two of each. */
int32_t nacre_check_sequence(nacre_check_t *c)
{
    const nacre_recurrent_params_t *const p = (const nacre_recurrent_params_t *)c->p[0];
    const int32_t lstm = c->variant == 4;
    const int64_t rows = nacre_times(c->variant, p->cells);
    const int64_t state = nacre_span(p->batches, p->state_batch, p->cells);
    const int64_t scratch = nacre_times(c->variant == 1 ? 1 : 4, p->cells);
    int32_t k = 4;
    c->need[0] = nacre_span(p->steps, p->x_step, nacre_span(p->batches, p->x_batch, p->inputs));
    c->need[1] = nacre_times(rows, p->inputs);
    c->need[2] = nacre_times(rows, p->cells);
    c->need[3] = scratch;
    if (lstm) {
        c->need[k++] = p->peepholes != 0 ? nacre_times(3, p->cells) : 0;
    }
    for (int32_t n = 0; n < (lstm ? 4 : 2); ++n) {
        c->need[k++] = state;
    }
    c->need[k++] = p->whole == 0 ? 0
                                 : nacre_span(p->total, p->y_step,
                                              nacre_span(p->batches, p->y_batch, p->cells));
    c->need[k] = scratch;
    return p->batches >= 1 && p->steps >= 0 && p->inputs >= 1 && p->cells >= 1 &&
           p->total >= p->steps && nacre_times(p->batches, p->total) >= 0 &&
           (p->steps <= 1 || p->x_step >= 1) && (p->batches == 1 || p->state_batch >= 1);
}
