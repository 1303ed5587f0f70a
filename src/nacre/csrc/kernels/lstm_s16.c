/* SPDX-License-Identifier: Apache-2.0 */
/* int16 LSTM with int8 weights. */
#include "nacre_lstm.h"
#include "nacre_dot_s16.h"
#include "nacre_lstm_cell.h"

NACRE_CODE
void nacre_lstm_s16(const int16_t *x, const int8_t *input_weights, const int8_t *recurrent_weights,
                    const int64_t *bias, const int64_t *recurrent_bias, const uint16_t *table,
                    int16_t *hidden, int16_t *cell, int16_t *y, const nacre_lstm_params_t *p,
                    int16_t *scratch)
{
    for (int32_t i = 0; i < p->batches * p->steps; ++i) {
        const int32_t b = i / p->steps;
        const int32_t t = i % p->steps;
        const int16_t *const from = x + b * p->x_batch + t * p->x_step;
        int16_t *const to = y + b * p->y_batch + t * p->y_step;
        int16_t *const h = hidden + b * p->cells;
        for (int32_t row = 0; row < 4 * p->cells; ++row) {
            const int32_t g = row / p->cells;
            const int64_t input =
                bias[row] + nacre_dot_long_s16(from, input_weights + row * p->inputs, p->inputs);
            const int64_t recurrent =
                recurrent_bias[row] +
                nacre_dot_long_s16(h, recurrent_weights + row * p->cells, p->cells);
            scratch[row] = nacre_lstm_gate(
                nacre_requantize_wide(input, p->input_multiplier[g], p->input_shift[g]),
                nacre_requantize_wide(recurrent, p->recurrent_multiplier[g], p->recurrent_shift[g]),
                g == 2, table);
        }
        for (int32_t c = 0; c < p->cells; ++c) {
            const int32_t value = nacre_lstm_cell(scratch, c, cell + b * p->cells, table, p);
            h[c] = (int16_t)nacre_lstm_narrow(value);
            to[c] = h[c];
        }
    }
}
