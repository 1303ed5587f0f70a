/* SPDX-License-Identifier: Apache-2.0 */
/* Plain recurrent layer over a sequence of floats. */
#include "nacre_recurrent.h"

#include "nacre_recurrent_body.h"

NACRE_CODE
void nacre_rnn_sequence_f32(const float *x, const float *input_weights,
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
            nacre_copy_f32(bias, scratch, p->cells);
            nacre_add_rows_f32(from, p->inputs, input_weights, scratch, p->cells);
            nacre_add_rows_f32(h, p->cells, recurrent_weights, scratch, p->cells);
            for (int32_t k = 0; k < p->cells; ++k) {
                h[k] = nacre_activate(scratch[k], p, 0);
            }
            if (p->whole) {
                nacre_copy_f32(h, y + t * p->y_step + b * p->y_batch, p->cells);
            }
        }
        nacre_clear_rest(y, p, b);
    }
}
