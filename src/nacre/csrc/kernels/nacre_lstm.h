/* SPDX-License-Identifier: Apache-2.0 */
/* Long short-term memory over sequences. Gates are in the order input, forget, cell, output.
 *
 * Layout: step t of sequence b is x + b * x_batch + t * x_step, [inputs]; its output is
 * y + b * y_batch + t * y_step, [cells]; input_weights[4][cells][inputs],
 * recurrent_weights[4][cells][cells], biases[4][cells], hidden[batches][cells],
 * cell[batches][cells]. hidden and cell are read and updated.
 *   gate = input_weights x + bias + recurrent_weights hidden + recurrent_bias
 *   cell = clip(logistic(forget) * cell + logistic(input) * tanh(cell gate))
 *   hidden = logistic(output) * tanh(cell);  y = hidden
 * scratch holds the gates of one step, [4][cells]. Nothing overlaps.
 */
#ifndef NACRE_LSTM_H
#define NACRE_LSTM_H

#include "nacre_kernel.h"

/* Zero points are in the biases. Products are rounded and saturated to int16: gates in Q3.12,
 * their functions in Q0.15, cells in a power of two. table is that of nacre_sigmoid.h. */
typedef struct {
    int32_t batches;
    int32_t steps;
    int32_t inputs;
    int32_t cells;
    int32_t x_batch;
    int32_t x_step;
    int32_t y_batch;
    int32_t y_step;
    int32_t input_multiplier[4];
    int32_t input_shift[4];
    int32_t recurrent_multiplier[4];
    int32_t recurrent_shift[4];
    int32_t keep_multiplier;
    int32_t keep_shift;
    int32_t add_multiplier;
    int32_t add_shift;
    int32_t cell_clip;
    int32_t tanh_multiplier;
    int32_t tanh_shift;
    int32_t hidden_multiplier;
    int32_t hidden_shift;
    int32_t hidden_offset;
} nacre_lstm_params_t;

typedef struct {
    int32_t batches;
    int32_t steps;
    int32_t inputs;
    int32_t cells;
    int32_t x_batch;
    int32_t x_step;
    int32_t y_batch;
    int32_t y_step;
    int32_t input_multiplier[4];
    int32_t input_shift[4];
    int32_t recurrent_multiplier[4];
    int32_t recurrent_shift[4];
    int32_t cell_bits;
    int32_t cell_clip;
    int32_t hidden_multiplier;
    int32_t hidden_shift;
    int32_t hidden_offset;
} nacre_lstm_series_params_t;

typedef struct {
    int32_t batches;
    int32_t steps;
    int32_t inputs;
    int32_t cells;
    int32_t x_batch;
    int32_t x_step;
    int32_t y_batch;
    int32_t y_step;
    float cell_clip;
} nacre_lstm_float_params_t;

/* 32-bit sums, rounded twice. */
void nacre_lstm_s8(const int8_t *x, const int8_t *input_weights, const int8_t *recurrent_weights,
                   const int32_t *bias, const int32_t *recurrent_bias, const uint16_t *table,
                   int8_t *hidden, int16_t *cell, int8_t *y, const nacre_lstm_params_t *p,
                   int16_t *scratch);

/* The same with logistic and tanh by series in 16 bits. Cells have cell_bits integer bits,
 * 0 <= cell_bits <= 6; products of gates are rounded once. */
void nacre_lstm_series_s8(const int8_t *x, const int8_t *input_weights,
                          const int8_t *recurrent_weights, const int32_t *bias,
                          const int32_t *recurrent_bias, int8_t *hidden, int16_t *cell, int8_t *y,
                          const nacre_lstm_series_params_t *p, int16_t *scratch);

/* 64-bit sums, rounded once. */
void nacre_lstm_s16(const int16_t *x, const int8_t *input_weights, const int8_t *recurrent_weights,
                    const int64_t *bias, const int64_t *recurrent_bias, const uint16_t *table,
                    int16_t *hidden, int16_t *cell, int16_t *y, const nacre_lstm_params_t *p,
                    int16_t *scratch);

void nacre_lstm_f32(const float *x, const float *input_weights, const float *recurrent_weights,
                    const float *bias, float *hidden, float *cell, float *y,
                    const nacre_lstm_float_params_t *p, float *scratch);

#endif
