/* SPDX-License-Identifier: Apache-2.0 */
/* What the recurrent layers share: activations by number, sums of gates, the walk over time. */
#ifndef NACRE_RECURRENT_BODY_H
#define NACRE_RECURRENT_BODY_H

#include <math.h>

#include "nacre_recurrent.h"

enum {
    NACRE_SIGMOID,
    NACRE_TANH,
    NACRE_RELU,
    NACRE_AFFINE,
    NACRE_LEAKY_RELU,
    NACRE_THRESHOLDED_RELU,
    NACRE_SCALED_TANH,
    NACRE_HARD_SIGMOID,
    NACRE_ELU,
    NACRE_SOFTSIGN,
    NACRE_SOFTPLUS
};

/* Activation n of a layer. */
NACRE_CODE
static float nacre_activation(float x, const nacre_recurrent_params_t *p, int32_t n)
{
    const float a = p->alpha[n];
    const float b = p->beta[n];
    switch (p->activation[n]) {
    case NACRE_SIGMOID:
        return 1.0f / (1.0f + expf(-x));
    case NACRE_TANH:
        return tanhf(x);
    case NACRE_RELU:
        return x > 0.0f ? x : 0.0f;
    case NACRE_AFFINE:
        return a * x + b;
    case NACRE_LEAKY_RELU:
        return x >= 0.0f ? x : a * x;
    case NACRE_THRESHOLDED_RELU:
        return x > a ? x : 0.0f;
    case NACRE_SCALED_TANH:
        return a * tanhf(b * x);
    case NACRE_HARD_SIGMOID:
        return nacre_clamp_f32(a * x + b, 0.0f, 1.0f);
    case NACRE_ELU:
        return x >= 0.0f ? x : a * (expf(x) - 1.0f);
    case NACRE_SOFTSIGN:
        return x / (1.0f + fabsf(x));
    default: /* NACRE_SOFTPLUS */
        return (x > 0.0f ? x : 0.0f) + log1pf(expf(-fabsf(x)));
    }
}

/* Activation n of a sum, which is clamped. */
NACRE_CODE
static float nacre_activate(float sum, const nacre_recurrent_params_t *p, int32_t n)
{
    return nacre_activation(nacre_clamp_f32(sum, -p->clip, p->clip), p, n);
}

/* sums[row] += dot(x, weights[row]) for `rows` rows of n values, four sums at a time. */
NACRE_CODE
static void nacre_add_rows_f32(const float *x, int32_t n, const float *w, float *sums,
                               int32_t rows)
{
    int32_t row = 0;
    for (; row + 4 <= rows; row += 4) {
        const float *const w1 = w + n;
        const float *const w2 = w1 + n;
        const float *const w3 = w2 + n;
        float a0 = 0.0f;
        float a1 = 0.0f;
        float a2 = 0.0f;
        float a3 = 0.0f;
        for (int32_t i = 0; i < n; ++i) {
            a0 += x[i] * w[i];
            a1 += x[i] * w1[i];
            a2 += x[i] * w2[i];
            a3 += x[i] * w3[i];
        }
        sums[row] += a0;
        sums[row + 1] += a1;
        sums[row + 2] += a2;
        sums[row + 3] += a3;
        w = w3 + n;
    }
    for (; row < rows; ++row) {
        float acc = 0.0f;
        for (int32_t i = 0; i < n; ++i) {
            acc += x[i] * w[i];
        }
        sums[row] += acc;
        w += n;
    }
}

NACRE_CODE
static inline void nacre_copy_f32(const float *from, float *to, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        to[i] = from[i];
    }
}

/* The place of step n of the walk: forwards or backwards. */
NACRE_CODE
static inline int32_t nacre_step(const nacre_recurrent_params_t *p, int32_t n)
{
    return p->reverse ? p->steps - 1 - n : n;
}

/* Zeros for the steps of sequence b that it does not have. */
NACRE_CODE
static void nacre_clear_rest(float *y, const nacre_recurrent_params_t *p, int32_t b)
{
    for (int32_t t = p->steps; p->whole && t < p->total; ++t) {
        float *const to = y + t * p->y_step + b * p->y_batch;
        for (int32_t k = 0; k < p->cells; ++k) {
            to[k] = 0.0f;
        }
    }
}

#endif
