/* SPDX-License-Identifier: Apache-2.0 */
/* Quantization of float rows at run time, for layers with float values and int8 weights. */
#ifndef NACRE_HYBRID_H
#define NACRE_HYBRID_H

#include "nacre_real.h"

/* x[i] = scale * (q[i] - zero_point). */
typedef struct {
    float scale;
    int32_t zero_point;
} nacre_hybrid_row_t;

/* -127 <= q[i] <= 127, zero point 0. */
NACRE_CODE
static inline nacre_hybrid_row_t nacre_hybrid_symmetric(const float *x, int32_t count, int8_t *q)
{
    float range = 0.0f;
    for (int32_t i = 0; i < count; ++i) {
        const float magnitude = x[i] < 0.0f ? -x[i] : x[i];
        range = magnitude > range ? magnitude : range;
    }
    const float inverse = range > 0.0f ? 127.0f / range : 0.0f;
    for (int32_t i = 0; i < count; ++i) {
        q[i] = (int8_t)nacre_clamp(nacre_round_f32(x[i] * inverse), -127, 127);
    }
    const nacre_hybrid_row_t row = {range > 0.0f ? range / 127.0f : 1.0f, 0};
    return row;
}

/* -128 <= q[i] <= 127; the zero point is nudged to an integer. */
NACRE_CODE
static inline nacre_hybrid_row_t nacre_hybrid_asymmetric(const float *x, int32_t count, int8_t *q)
{
    float low = 0.0f;
    float high = 0.0f;
    for (int32_t i = 0; i < count; ++i) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    nacre_hybrid_row_t row = {1.0f, 0};
    if (low < high) {
        const double scale = ((double)high - (double)low) / 255.0;
        const double from_low = -128.0 - (double)low / scale;
        const double from_high = 127.0 - (double)high / scale;
        const double low_error = 128.0 - (double)low / scale;
        const double high_error = 127.0 + (double)high / scale;
        const int32_t point = nacre_round_f64(low_error < high_error ? from_low : from_high);
        row.scale = (float)scale;
        row.zero_point = nacre_clamp(point, -128, 127);
    }
    const float inverse = low < high ? 1.0f / row.scale : 0.0f;
    for (int32_t i = 0; i < count; ++i) {
        const float value = (float)row.zero_point + x[i] * inverse;
        q[i] = (int8_t)nacre_clamp(nacre_round_f32(value), -128, 127);
    }
    return row;
}

#endif
