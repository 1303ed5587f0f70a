/* SPDX-License-Identifier: Apache-2.0 */
/* int8 LSTM with int16 cells whose gates are computed by series. */
#include "nacre_lstm.h"
#include "nacre_dot_s8.h"
#include "nacre_requant.h"
#include "nacre_series_s16.h"

NACRE_CODE
static int32_t narrow(int32_t x) { return nacre_clamp(x, INT16_MIN, INT16_MAX); }

NACRE_CODE
static int16_t gate(int32_t input, int32_t recurrent, int32_t g,
                    const nacre_lstm_series_params_t *p)
{
    const int32_t a = nacre_requantize(input, p->input_multiplier[g], p->input_shift[g]);
    const int32_t b = nacre_requantize(recurrent, p->recurrent_multiplier[g], p->recurrent_shift[g]);
    const int32_t sum = narrow(narrow(a) + b);
    return (int16_t)(g == 2 ? nacre_series_tanh(sum, 3) : nacre_series_logistic(sum));
}

/* Update a cell from its gates, which are p->cells apart; returns its output. */
NACRE_CODE
static int8_t update(const int16_t *gates, int16_t *cell, const nacre_lstm_series_params_t *p)
{
    const int32_t kept = nacre_rounding_shift(gates[p->cells] * *cell, 15);
    const int32_t added = nacre_rounding_shift(gates[0] * gates[2 * p->cells], 15 + p->cell_bits);
    int32_t sum = narrow(narrow(kept) + narrow(added));
    if (p->cell_clip != 0) {
        sum = nacre_clamp(sum, -p->cell_clip, p->cell_clip);
    }
    *cell = (int16_t)sum;
    const int32_t product = gates[3 * p->cells] * nacre_series_tanh(sum, p->cell_bits);
    const int32_t scaled = nacre_requantize(product, p->hidden_multiplier, p->hidden_shift);
    return (int8_t)nacre_clamp_offset(scaled, p->hidden_offset, INT8_MIN, INT8_MAX);
}

NACRE_CODE
void nacre_lstm_series_s8(const int8_t *x, const int8_t *input_weights,
                          const int8_t *recurrent_weights, const int32_t *bias,
                          const int32_t *recurrent_bias, int8_t *hidden, int16_t *cell, int8_t *y,
                          const nacre_lstm_series_params_t *p, int16_t *scratch)
{
    for (int32_t i = 0; i < p->batches * p->steps; ++i) {
        const int32_t b = i / p->steps;
        const int32_t t = i % p->steps;
        const int8_t *const from = x + b * p->x_batch + t * p->x_step;
        int8_t *const to = y + b * p->y_batch + t * p->y_step;
        int8_t *const h = hidden + b * p->cells;
        for (int32_t row = 0; row < 4 * p->cells; ++row) {
            const int8_t *const w = input_weights + row * p->inputs;
            const int8_t *const r = recurrent_weights + row * p->cells;
            scratch[row] =
                gate(nacre_add_wrapping(bias[row], nacre_dot_s8(from, w, p->inputs)),
                     nacre_add_wrapping(recurrent_bias[row], nacre_dot_s8(h, r, p->cells)),
                     row / p->cells, p);
        }
        for (int32_t c = 0; c < p->cells; ++c) {
            h[c] = update(scratch + c, cell + b * p->cells + c, p);
            to[c] = h[c];
        }
    }
}
