/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM over a sequence of floats. */
#include "nacre_recurrent.h"

#include "nacre_recurrent_body.h"

/* What a gate sees of a cell. */
NACRE_CODE
static float seen(const float *peepholes, int32_t index, float cell,
                  const nacre_recurrent_params_t *p)
{
    return p->peepholes ? peepholes[index] * cell : 0.0f;
}

/* The sums of the four gates are in `gates`. */
NACRE_CODE
static void update(const float *gates, const float *peepholes, float *h, float *c,
                   const nacre_recurrent_params_t *p)
{
    const int32_t n = p->cells;
    for (int32_t k = 0; k < n; ++k) {
        const float in = nacre_activate(gates[k] + seen(peepholes, k, c[k], p), p, 0);
        const float forget = gates[2 * n + k] + seen(peepholes, 2 * n + k, c[k], p);
        const float keep = p->coupled ? 1.0f - in : nacre_activate(forget, p, 0);
        c[k] = keep * c[k] + in * nacre_activate(gates[3 * n + k], p, 1);
        const float out = gates[n + k] + seen(peepholes, n + k, c[k], p);
        h[k] = nacre_activate(out, p, 0) * nacre_activation(c[k], p, 2);
    }
}

NACRE_CODE
void nacre_lstm_sequence_f32(const float *x, const float *input_weights,
                             const float *recurrent_weights, const float *bias,
                             const float *peepholes, const float *first_hidden,
                             const float *first_cell, float *hidden, float *cell, float *y,
                             const nacre_recurrent_params_t *p, float *scratch)
{
    const int32_t rows = 4 * p->cells;
    for (int32_t b = 0; b < p->batches; ++b) {
        float *const h = hidden + b * p->state_batch;
        float *const c = cell + b * p->state_batch;
        nacre_copy_f32(first_hidden + b * p->state_batch, h, p->cells);
        nacre_copy_f32(first_cell + b * p->state_batch, c, p->cells);
        for (int32_t n = 0; n < p->steps; ++n) {
            const int32_t t = nacre_step(p, n);
            const float *const from = x + t * p->x_step + b * p->x_batch;
            nacre_copy_f32(bias, scratch, rows);
            nacre_add_rows_f32(from, p->inputs, input_weights, scratch, rows);
            nacre_add_rows_f32(h, p->cells, recurrent_weights, scratch, rows);
            update(scratch, peepholes, h, c, p);
            if (p->whole) {
                nacre_copy_f32(h, y + t * p->y_step + b * p->y_batch, p->cells);
            }
        }
        nacre_clear_rest(y, p, b);
    }
}
