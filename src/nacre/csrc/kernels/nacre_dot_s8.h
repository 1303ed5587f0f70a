/* SPDX-License-Identifier: Apache-2.0 */
/* Products of int8 vectors, in the form that compilers vectorise. */
#ifndef NACRE_DOT_S8_H
#define NACRE_DOT_S8_H

#include "nacre_kernel.h"

/* acc[j] += sum x[i] * w[j * pitch + i] for four rows j of weights. */
NACRE_CODE
static inline void nacre_dot4_s8(const int8_t *x, const int8_t *w, size_t pitch, int32_t n,
                                 int32_t acc[4])
{
    const int8_t *const w1 = w + pitch;
    const int8_t *const w2 = w1 + pitch;
    const int8_t *const w3 = w2 + pitch;
    int32_t a0 = 0;
    int32_t a1 = 0;
    int32_t a2 = 0;
    int32_t a3 = 0;
    for (int32_t i = 0; i < n; ++i) {
        a0 += x[i] * w[i];
        a1 += x[i] * w1[i];
        a2 += x[i] * w2[i];
        a3 += x[i] * w3[i];
    }
    acc[0] = nacre_add_wrapping(acc[0], a0);
    acc[1] = nacre_add_wrapping(acc[1], a1);
    acc[2] = nacre_add_wrapping(acc[2], a2);
    acc[3] = nacre_add_wrapping(acc[3], a3);
}

/* acc[j] += sum (x[i] + offset) * w[j * pitch + i] for four rows j of weights, -255 <= x + offset
 * <= 255. The 16-bit sum lets compilers multiply 16-bit pairs, so an offset of 0 costs less than
 * none. */
NACRE_CODE
static inline void nacre_dot4_offset_s8(const int8_t *x, int32_t offset, const int8_t *w,
                                        size_t pitch, int32_t n, int32_t acc[4])
{
    const int8_t *const w1 = w + pitch;
    const int8_t *const w2 = w1 + pitch;
    const int8_t *const w3 = w2 + pitch;
    int32_t a0 = 0;
    int32_t a1 = 0;
    int32_t a2 = 0;
    int32_t a3 = 0;
    for (int32_t i = 0; i < n; ++i) {
        const int16_t value = (int16_t)(x[i] + (int16_t)offset);
        a0 += value * w[i];
        a1 += value * w1[i];
        a2 += value * w2[i];
        a3 += value * w3[i];
    }
    acc[0] = nacre_add_wrapping(acc[0], a0);
    acc[1] = nacre_add_wrapping(acc[1], a1);
    acc[2] = nacre_add_wrapping(acc[2], a2);
    acc[3] = nacre_add_wrapping(acc[3], a3);
}

/* sum (x[i] + offset) * w[i], -255 <= x + offset <= 255. */
NACRE_CODE
static inline int32_t nacre_dot_offset_s8(const int8_t *x, int32_t offset, const int8_t *w,
                                          int32_t n)
{
    int32_t acc = 0;
    for (int32_t i = 0; i < n; ++i) {
        const int16_t value = (int16_t)(x[i] + (int16_t)offset);
        acc += value * w[i];
    }
    return acc;
}

/* sum x[i] * w[i]. */
NACRE_CODE
static inline int32_t nacre_dot_s8(const int8_t *x, const int8_t *w, int32_t n)
{
    int32_t acc = 0;
    for (int32_t i = 0; i < n; ++i) {
        acc += x[i] * w[i];
    }
    return acc;
}

/* sum w[i]. */
NACRE_CODE
static inline int32_t nacre_sum_s8(const int8_t *w, int32_t n)
{
    int32_t acc = 0;
    for (int32_t i = 0; i < n; ++i) {
        acc += w[i];
    }
    return acc;
}

#endif
