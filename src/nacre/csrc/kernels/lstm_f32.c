/* SPDX-License-Identifier: Apache-2.0 */
/* float LSTM. */
#include <math.h>

#include "nacre_lstm.h"

NACRE_CODE
static float logistic(float x) { return 1.0f / (1.0f + expf(-x)); }

NACRE_CODE
static float dot(const float *x, const float *w, int32_t count)
{
    float acc = 0.0f;
    for (int32_t i = 0; i < count; ++i) {
        acc += x[i] * w[i];
    }
    return acc;
}

NACRE_CODE
static float clipped(float x, float limit)
{
    const float lowered = x < limit ? x : limit;
    return limit == 0.0f ? x : lowered > -limit ? lowered : -limit;
}

NACRE_CODE
void nacre_lstm_f32(const float *x, const float *input_weights, const float *recurrent_weights,
                    const float *bias, float *hidden, float *cell, float *y,
                    const nacre_lstm_float_params_t *p, float *scratch)
{
    for (int32_t i = 0; i < p->batches * p->steps; ++i) {
        const int32_t b = i / p->steps;
        const int32_t t = i % p->steps;
        const float *const from = x + b * p->x_batch + t * p->x_step;
        float *const to = y + b * p->y_batch + t * p->y_step;
        float *const h = hidden + b * p->cells;
        float *const c = cell + b * p->cells;
        for (int32_t row = 0; row < 4 * p->cells; ++row) {
            const float sum = dot(from, input_weights + row * p->inputs, p->inputs) + bias[row] +
                              dot(h, recurrent_weights + row * p->cells, p->cells);
            scratch[row] = row / p->cells == 2 ? tanhf(sum) : logistic(sum);
        }
        for (int32_t k = 0; k < p->cells; ++k) {
            const float *const gate = scratch + k;
            const float sum = gate[p->cells] * c[k] + gate[0] * gate[2 * p->cells];
            c[k] = clipped(sum, p->cell_clip);
            h[k] = gate[3 * p->cells] * tanhf(c[k]);
            to[k] = h[k];
        }
    }
}
