/* SPDX-License-Identifier: Apache-2.0 */
/* Products of int16 and int8 vectors, in the form that compilers vectorise.
 *
 * The sums are int32: n * max|x| * 128 must stay below 2^31.
 */
#ifndef NACRE_DOT_S16_H
#define NACRE_DOT_S16_H

#include "nacre_kernel.h"

/* Products of any int16 and int8 whose sum 32 bits hold: 2^8 * 2^15 * 2^7 = 2^30. */
#define NACRE_DOT_S16_BLOCK 256

/* acc[j] += sum x[i] * w[j * pitch + i] for four rows j of weights; sums wrap. */
NACRE_CODE
static inline void nacre_dot4_s16(const int16_t *x, const int8_t *w, size_t pitch, int32_t n,
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

/* sum x[i] * w[i]. */
NACRE_CODE
static inline int32_t nacre_dot_s16(const int16_t *x, const int8_t *w, int32_t n)
{
    int32_t acc = 0;
    for (int32_t i = 0; i < n; ++i) {
        acc += x[i] * w[i];
    }
    return acc;
}

/* The same for any n and any x: 32-bit sums of blocks, added up in 64 bits. */
NACRE_CODE
static inline int64_t nacre_dot_long_s16(const int16_t *x, const int8_t *w, int32_t n)
{
    int64_t sum = 0;
    for (int32_t begin = 0; begin < n; begin += NACRE_DOT_S16_BLOCK) {
        const int32_t length = nacre_min(NACRE_DOT_S16_BLOCK, n - begin);
        sum += nacre_dot_s16(x + begin, w + begin, length);
    }
    return sum;
}

#endif
