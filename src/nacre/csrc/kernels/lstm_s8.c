/* SPDX-License-Identifier: Apache-2.0 */
/* int8 LSTM with int16 cells. */
#include "nacre_lstm.h"
#include "nacre_dot_s8.h"
#include "nacre_lstm_cell.h"

/* One step of one sequence: its input, its state, where its output goes. */
typedef struct {
    const int8_t *x;
    int8_t *hidden;
    int16_t *cell;
    int8_t *y;
} step_t;

/* Rows [row, row + count) of gate g, count <= 4. */
NACRE_CODE
static void rows_of_gate(const step_t *s, const int8_t *const weights[2],
                         const int32_t *const biases[2], int32_t g, int32_t row, int32_t count,
                         const uint16_t *table, const nacre_lstm_params_t *p, int16_t *gates)
{
    const size_t first = (size_t)(g * p->cells + row);
    const int8_t *const w = weights[0] + first * (size_t)p->inputs;
    const int8_t *const r = weights[1] + first * (size_t)p->cells;
    int32_t input[4] = {0, 0, 0, 0};
    int32_t recurrent[4] = {0, 0, 0, 0};
    if (count == 4) {
        nacre_dot4_offset_s8(s->x, 0, w, (size_t)p->inputs, p->inputs, input);
        nacre_dot4_offset_s8(s->hidden, 0, r, (size_t)p->cells, p->cells, recurrent);
    } else {
        for (int32_t j = 0; j < count; ++j) {
            input[j] = nacre_dot_s8(s->x, w + j * p->inputs, p->inputs);
            recurrent[j] = nacre_dot_s8(s->hidden, r + j * p->cells, p->cells);
        }
    }
    for (int32_t j = 0; j < count; ++j) {
        const int32_t x = nacre_add_wrapping(input[j], biases[0][first + (size_t)j]);
        const int32_t h = nacre_add_wrapping(recurrent[j], biases[1][first + (size_t)j]);
        const int32_t a = nacre_requantize(x, p->input_multiplier[g], p->input_shift[g]);
        const int32_t b = nacre_requantize(h, p->recurrent_multiplier[g], p->recurrent_shift[g]);
        gates[first + (size_t)j] = nacre_lstm_gate(a, b, g == 2, table);
    }
}

NACRE_CODE
void nacre_lstm_s8(const int8_t *x, const int8_t *input_weights, const int8_t *recurrent_weights,
                   const int32_t *bias, const int32_t *recurrent_bias, const uint16_t *table,
                   int8_t *hidden, int16_t *cell, int8_t *y, const nacre_lstm_params_t *p,
                   int16_t *scratch)
{
    const int8_t *const weights[2] = {input_weights, recurrent_weights};
    const int32_t *const biases[2] = {bias, recurrent_bias};
    for (int32_t i = 0; i < p->batches * p->steps; ++i) {
        const int32_t b = i / p->steps;
        const int32_t t = i % p->steps;
        const step_t s = {x + b * p->x_batch + t * p->x_step, hidden + b * p->cells,
                          cell + b * p->cells, y + b * p->y_batch + t * p->y_step};
        for (int32_t g = 0; g < 4; ++g) {
            for (int32_t row = 0; row < p->cells; row += 4) {
                const int32_t count = nacre_min(4, p->cells - row);
                rows_of_gate(&s, weights, biases, g, row, count, table, p, scratch);
            }
        }
        for (int32_t c = 0; c < p->cells; ++c) {
            const int32_t value = nacre_lstm_cell(scratch, c, s.cell, table, p);
            s.hidden[c] = (int8_t)nacre_clamp(value, INT8_MIN, INT8_MAX);
            s.y[c] = s.hidden[c];
        }
    }
}
