/* SPDX-License-Identifier: Apache-2.0 */
/* Products of int16 vectors with int8 vectors, in the form that compilers vectorise. */
#ifndef NACRE_DOT_S16_H
#define NACRE_DOT_S16_H

#include "nacre_kernel.h"

/* Products have 23 bits with their sign: this many of them fit a 32-bit sum. */
#define NACRE_DOT_S16_BLOCK 256

/* sum x[i] * w[i]. */
static inline int64_t nacre_dot_s16(const int16_t *x, const int8_t *w, int32_t n)
{
    int64_t total = 0;
    for (int32_t begin = 0; begin < n; begin += NACRE_DOT_S16_BLOCK) {
        const int32_t end = nacre_min(n, begin + NACRE_DOT_S16_BLOCK);
        int32_t acc = 0;
        for (int32_t i = begin; i < end; ++i) {
            acc += x[i] * w[i];
        }
        total += acc;
    }
    return total;
}

#endif
