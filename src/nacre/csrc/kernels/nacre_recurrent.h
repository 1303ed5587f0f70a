/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent layers over whole sequences of floats: LSTM, GRU and plain recurrent cells.
 *
 * One call is one direction. x(t, b) has `inputs` values at x + t * x_step + b * x_batch, h and c
 * of sequence b start at b * state_batch, y(t, b) at y + t * y_step + b * y_batch. Weights are
 * [gates * cells][inputs] and [gates * cells][cells]. With `reverse` the steps run from the last
 * to the first. f, g, k are activation[0], [1], [2], and the sums before f and g are clamped to
 * +-clip:
 *   LSTM, gates i o f c, bias [4 * cells], peephole weights [3 * cells] for i o f, or none:
 *     i = f(W x + R h + b + P * c),  f = coupled ? 1 - i : f(W x + R h + b + P * c)
 *     C = f * c + i * g(W x + R h + b),  o = f(W x + R h + b + P * C),  H = o * k(C)
 *   GRU, gates z r n, bias [4 * cells] for z, r, n of the input, n of the state:
 *     z = f(W x + R h + b),  r = f(W x + R h + b),  H = (1 - z) * n + z * h
 *     n = linear_before_reset ? g(W x + b + r * (R h + B)) : g(W x + b + R (r * h) + B)
 *   RNN, bias [cells]: H = f(W x + R h + b)
 * first_hidden and first_cell are the state before the first step; hidden and cell hold the state
 * while it runs and that after the last step. With `whole`, y gets H of every step and zeros for
 * the steps from `steps` to `total`; without, y is not touched. Nothing may overlap.
 * Scratch: LSTM and GRU 4 * cells floats, RNN cells floats. */
#ifndef NACRE_RECURRENT_H
#define NACRE_RECURRENT_H

#include "nacre_kernel.h"

typedef struct {
    int32_t batches;
    int32_t steps;
    int32_t total;
    int32_t inputs;
    int32_t cells;
    int32_t x_batch;
    int32_t x_step;
    int32_t y_batch;
    int32_t y_step;
    int32_t state_batch;
    int32_t reverse;
    int32_t whole;
    int32_t coupled;
    int32_t peepholes;
    int32_t linear_before_reset;
    int32_t activation[3]; /* see nacre_recurrent_body.h */
    float alpha[3];
    float beta[3];
    float clip;
} nacre_recurrent_params_t;

void nacre_lstm_sequence_f32(const float *x, const float *input_weights,
                             const float *recurrent_weights, const float *bias,
                             const float *peepholes, const float *first_hidden,
                             const float *first_cell, float *hidden, float *cell, float *y,
                             const nacre_recurrent_params_t *p, float *scratch);

void nacre_gru_sequence_f32(const float *x, const float *input_weights,
                            const float *recurrent_weights, const float *bias,
                            const float *first_hidden, float *hidden, float *y,
                            const nacre_recurrent_params_t *p, float *scratch);

void nacre_rnn_sequence_f32(const float *x, const float *input_weights,
                            const float *recurrent_weights, const float *bias,
                            const float *first_hidden, float *hidden, float *y,
                            const nacre_recurrent_params_t *p, float *scratch);

#endif
