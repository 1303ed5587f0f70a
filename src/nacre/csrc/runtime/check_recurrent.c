/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of layers with state. */
#include "../kernels/nacre_lstm.h"
#include "../kernels/nacre_svdf.h"
#include "nacre_checks.h"

int32_t nacre_check_hybrid_quantize(nacre_check_t *c)
{
    c->need[0] = c->number[0];
    c->need[1] = c->number[0];
    c->need[2] = 2;
    return c->number[0] >= 0;
}

/* The members that all parameter structs of an LSTM begin with. */
typedef nacre_lstm_float_params_t shape_t;

/* Steps of a sequence, `batch` and `step` elements apart, of `size` elements each. */
static int64_t sequence(const shape_t *p, int32_t batch, int32_t step, int32_t size)
{
    return nacre_span(p->batches, batch, nacre_span(p->steps, step, size));
}

/* x, weights and bias are pointers 0 to 3; `state` is that of hidden, cell, y and scratch. */
static int32_t shape(nacre_check_t *c, int32_t state)
{
    const shape_t *const p = (const shape_t *)c->p[0];
    const int64_t gates = nacre_times(4, p->cells);
    c->need[0] = sequence(p, p->x_batch, p->x_step, p->inputs);
    c->need[1] = nacre_times(gates, p->inputs);
    c->need[2] = nacre_times(gates, p->cells);
    c->need[3] = gates;
    c->need[state] = nacre_times(p->batches, p->cells);
    c->need[state + 1] = c->need[state];
    c->need[state + 2] = sequence(p, p->y_batch, p->y_step, p->cells);
    c->need[state + 3] = gates;
    return nacre_all_between(&p->batches, 4, 1, 1 << 24) &&
           nacre_times(p->batches, p->steps) >= 0 && (p->steps == 1 || p->x_step >= 1) &&
           (p->batches == 1 || p->x_batch >= 1);
}

int32_t nacre_check_lstm(nacre_check_t *c)
{
    const nacre_lstm_params_t *const p = (const nacre_lstm_params_t *)c->p[0];
    c->need[4] = nacre_times(4, p->cells);
    c->need[5] = 256;
    /* variant 1: sums of 64 bits, rounded once. */
    return shape(c, 6) && nacre_all_between(p->input_shift, 4, -31, c->variant ? 14 : 30) &&
           nacre_all_between(p->recurrent_shift, 4, -31, c->variant ? 14 : 30) &&
           nacre_shift_fits(p->keep_shift) && nacre_shift_fits(p->add_shift) &&
           nacre_between(p->tanh_multiplier, 0, 32767) && nacre_between(p->tanh_shift, 0, 31) &&
           nacre_shift_fits(p->hidden_shift) && nacre_small(p->hidden_offset) &&
           nacre_between(p->cell_clip, 0, 32767);
}

int32_t nacre_check_lstm_tables_wide(nacre_check_t *c)
{
    const nacre_lstm_params_t *const p = (const nacre_lstm_params_t *)c->p[0];
    return nacre_biases_fit(c, 3, 4 * p->cells) && nacre_biases_fit(c, 4, 4 * p->cells);
}

int32_t nacre_check_lstm_series(nacre_check_t *c)
{
    const nacre_lstm_series_params_t *const p = (const nacre_lstm_series_params_t *)c->p[0];
    c->need[4] = nacre_times(4, p->cells);
    return shape(c, 5) && nacre_all_between(p->input_shift, 4, -31, 30) &&
           nacre_all_between(p->recurrent_shift, 4, -31, 30) && nacre_between(p->cell_bits, 0, 6) &&
           nacre_shift_fits(p->hidden_shift) && nacre_small(p->hidden_offset) &&
           nacre_between(p->cell_clip, 0, 32767);
}

int32_t nacre_check_lstm_f32(nacre_check_t *c) { return shape(c, 4); }

static int32_t svdf_shape(nacre_check_t *c, const int32_t *n)
{
    /* batches, inputs, units, rank, memory */
    const int64_t filters = nacre_times(n[2], n[3]);
    c->need[0] = nacre_times(n[0], n[1]);
    c->need[1] = nacre_times(filters, n[1]);
    c->need[2] = nacre_times(filters, n[4]);
    c->need[3] = n[2];
    c->need[4] = nacre_times3(n[0], filters, n[4]);
    c->need[5] = nacre_times(n[0], n[2]);
    return nacre_all_between(n, 5, 1, 1 << 20);
}

int32_t nacre_check_svdf(nacre_check_t *c)
{
    const nacre_svdf_params_t *const p = (const nacre_svdf_params_t *)c->p[0];
    return svdf_shape(c, &p->batches) && nacre_between(p->input_offset, -255, 255) &&
           nacre_shift_fits(p->feature_shift) && nacre_small(p->state_offset) &&
           nacre_shift_fits(p->output_shift) && nacre_small(p->output_offset);
}

int32_t nacre_check_svdf_f32(nacre_check_t *c)
{
    const nacre_svdf_float_params_t *const p = (const nacre_svdf_float_params_t *)c->p[0];
    return svdf_shape(c, &p->batches);
}
