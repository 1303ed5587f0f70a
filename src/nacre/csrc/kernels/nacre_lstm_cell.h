/* SPDX-License-Identifier: Apache-2.0 */
/* From the gates of a step to cells and outputs, in int16 fixed point. */
#ifndef NACRE_LSTM_CELL_H
#define NACRE_LSTM_CELL_H

#include "nacre_lstm.h"
#include "nacre_requant.h"
#include "nacre_sigmoid_s16.h"

NACRE_CODE
static inline int32_t nacre_lstm_narrow(int32_t x) { return nacre_clamp(x, INT16_MIN, INT16_MAX); }

/* Sum of a gate's two parts in Q3.12, through its function. */
NACRE_CODE
static inline int16_t nacre_lstm_gate(int32_t input, int32_t recurrent, int32_t is_cell_gate,
                                      const uint16_t *table)
{
    const int32_t sum =
        nacre_lstm_narrow(nacre_lstm_narrow(input) + nacre_lstm_narrow(recurrent));
    return is_cell_gate ? nacre_tanh_step(table, 3 * sum) : nacre_logistic_step(table, 3 * sum);
}

/* Update cell c from gates[4][cells]; returns its output before saturation. */
NACRE_CODE
static inline int32_t nacre_lstm_cell(const int16_t *gates, int32_t c, int16_t *cell,
                                      const uint16_t *table, const nacre_lstm_params_t *p)
{
    const int32_t input = gates[c];
    const int32_t forget = gates[p->cells + c];
    const int32_t candidate = gates[2 * p->cells + c];
    const int32_t output = gates[3 * p->cells + c];
    const int32_t kept = nacre_requantize(forget * cell[c], p->keep_multiplier, p->keep_shift);
    const int32_t added = nacre_requantize(input * candidate, p->add_multiplier, p->add_shift);
    int32_t sum = nacre_lstm_narrow(nacre_lstm_narrow(kept) + nacre_lstm_narrow(added));
    if (p->cell_clip != 0) {
        sum = nacre_clamp(sum, -p->cell_clip, p->cell_clip);
    }
    cell[c] = (int16_t)sum;
    const int32_t scaled = nacre_sigmoid_input(cell[c], p->tanh_multiplier, p->tanh_shift);
    const int32_t product = nacre_tanh_step(table, scaled) * output;
    return nacre_requantize(product, p->hidden_multiplier, p->hidden_shift) + p->hidden_offset;
}

#endif
