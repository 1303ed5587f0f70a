/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernels for the DSP extension share. */
#ifndef NACRE_DSP_H
#define NACRE_DSP_H

#include <string.h>

#include "nacre_kernel.h"

/* Four bytes, from any address. */
NACRE_CODE
static inline uint32_t nacre_word(const int8_t *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

/* b0 | b2 << 16 of the bytes of a word, each widened with its sign. */
NACRE_CODE
static inline int32_t nacre_even(uint32_t word)
{
    int32_t pair;
    __asm("sxtb16 %0, %1" : "=r"(pair) : "r"(word));
    return pair;
}

/* b1 | b3 << 16. */
NACRE_CODE
static inline int32_t nacre_odd(uint32_t word)
{
    int32_t pair;
    __asm("sxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(word));
    return pair;
}

/* addend + round(a * b / 2^32), ties up. */
NACRE_CODE
static inline int32_t nacre_high_add(int32_t a, int32_t b, int32_t addend)
{
    int32_t sum;
    __asm("smmlar %0, %1, %2, %3" : "=r"(sum) : "r"(a), "r"(b), "r"(addend));
    return sum;
}

/* addend + floor(a * b / 2^32). */
NACRE_CODE
static inline int32_t nacre_high_add_floor(int32_t a, int32_t b, int32_t addend)
{
    int32_t sum;
    __asm("smmla %0, %1, %2, %3" : "=r"(sum) : "r"(a), "r"(b), "r"(addend));
    return sum;
}

/* x within eight bits. */
NACRE_CODE
static inline int32_t nacre_saturate_s8(int32_t x)
{
    int32_t y;
    __asm("ssat %0, #8, %1" : "=r"(y) : "r"(x));
    return y;
}

/* y[0..n) into [low, high]. */
NACRE_CODE
static inline void nacre_clamp_bytes(int8_t *y, int32_t n, int32_t low, int32_t high)
{
    for (int32_t i = 0; i < n; ++i) {
        y[i] = (int8_t)nacre_clamp(y[i], low, high);
    }
}

#endif
