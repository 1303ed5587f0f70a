/* SPDX-License-Identifier: Apache-2.0 */
/* Gated recurrent unit over a sequence of floats. */
#include "nacre_recurrent.h"

#include "nacre_recurrent_body.h"

/* scratch: sums of z, r and n; then what the state adds to n. */
NACRE_CODE
static void sum_gates(const float *x, const float *h, const float *input_weights,
                      const float *recurrent_weights, const float *bias,
                      const nacre_recurrent_params_t *p, float *scratch)
{
    const int32_t n = p->cells;
    float *const reset = scratch + n;
    nacre_copy_f32(bias, scratch, 4 * n);
    nacre_add_rows_f32(x, p->inputs, input_weights, scratch, 3 * n);
    nacre_add_rows_f32(h, n, recurrent_weights, scratch, 2 * n);
    for (int32_t k = 0; k < n; ++k) {
        reset[k] = nacre_activate(reset[k], p, 0);
    }
    if (!p->linear_before_reset) {
        for (int32_t k = 0; k < n; ++k) {
            reset[k] *= h[k];
        }
    }
    nacre_add_rows_f32(p->linear_before_reset ? h : reset, n, recurrent_weights + 2 * n * n,
                       scratch + 3 * n, n);
}

NACRE_CODE
static void update(const float *scratch, float *h, const nacre_recurrent_params_t *p)
{
    const int32_t n = p->cells;
    for (int32_t k = 0; k < n; ++k) {
        const float old = nacre_activate(scratch[k], p, 0);
        const float reset = p->linear_before_reset ? scratch[n + k] : 1.0f;
        const float fresh = nacre_activate(scratch[2 * n + k] + reset * scratch[3 * n + k], p, 1);
        h[k] = (1.0f - old) * fresh + old * h[k];
    }
}

NACRE_CODE
void nacre_gru_sequence_f32(const float *x, const float *input_weights,
                            const float *recurrent_weights, const float *bias,
                            const float *first_hidden, float *hidden, float *y,
                            const nacre_recurrent_params_t *p, float *scratch)
{
    for (int32_t b = 0; b < p->batches; ++b) {
        float *const h = hidden + b * p->state_batch;
        nacre_copy_f32(first_hidden + b * p->state_batch, h, p->cells);
        for (int32_t n = 0; n < p->steps; ++n) {
            const int32_t t = nacre_step(p, n);
            const float *const from = x + t * p->x_step + b * p->x_batch;
            sum_gates(from, h, input_weights, recurrent_weights, bias, p, scratch);
            update(scratch, h, p);
            if (p->whole) {
                nacre_copy_f32(h, y + t * p->y_step + b * p->y_batch, p->cells);
            }
        }
        nacre_clear_rest(y, p, b);
    }
}
