/* SPDX-License-Identifier: Apache-2.0 */
/* logistic and tanh of int16 fixed-point numbers by series: m integer and 15 - m fraction bits. */
#ifndef NACRE_SERIES_S16_H
#define NACRE_SERIES_S16_H

#include "nacre_requant.h"

/* a * b / 2^15, ties up: the product of two fixed-point numbers. */
NACRE_CODE
static inline int32_t nacre_series_mul(int32_t a, int32_t b)
{
    return nacre_min((a * b + (1 << 14)) >> 15, INT16_MAX);
}

NACRE_CODE
static inline int32_t nacre_series_left(int32_t a, int32_t bits)
{
    return nacre_clamp(a * (1 << bits), INT16_MIN, INT16_MAX);
}

/* exp(a) in Q0.15 for -1/4 <= a < 0 in Q0.15: Taylor's series around -1/8. */
NACRE_CODE
static inline int32_t nacre_series_exp_near_zero(int32_t a)
{
    const int32_t x = a + (1 << 12);
    const int32_t x2 = nacre_series_mul(x, x);
    const int32_t x3 = nacre_series_mul(x2, x);
    const int32_t x4 = nacre_series_mul(x2, x2);
    const int32_t cubic = nacre_series_mul(nacre_rounding_shift(x4, 2) + x3, 10923);
    const int32_t tail = nacre_rounding_shift(cubic + x2, 1);
    return 28918 + nacre_series_mul(x + tail, 28918);
}

/* exp(a) in Q0.15 for a <= 0 with `bits` integer bits, 1 <= bits <= 7. */
NACRE_CODE
static inline int32_t nacre_series_exp(int32_t a, int32_t bits)
{
    /* exp(-2^k) for k from -2 on: the binary digits of a. */
    static const int16_t digits[7] = {25520, 19875, 12055, 4435, 600, 11, 0};
    const int32_t fraction = 15 - bits;
    const int32_t quarter = 1 << (fraction - 2);
    if (a == 0) {
        return INT16_MAX;
    }
    if (bits > 5 && a < -(1 << (fraction + 5))) {
        return 0;
    }
    const int32_t below = (a & (quarter - 1)) - quarter;
    const int32_t remainder = below - a;
    int32_t result = nacre_series_exp_near_zero(nacre_series_left(below, bits));
    for (int32_t k = 0; k < nacre_min(bits + 2, 7); ++k) {
        if ((remainder & (quarter << k)) != 0) {
            result = nacre_series_mul(result, digits[k]);
        }
    }
    return result;
}

/* 2 / (1 + a) in Q2.13 for 0 <= a <= 1 in Q0.15: three steps of Newton's iteration. */
NACRE_CODE
static inline int32_t nacre_series_reciprocal(int32_t a)
{
    const int32_t half = (a + INT16_MAX + 1) / 2;
    int32_t x = 23130 + nacre_series_mul(half, -15420);
    for (int32_t i = 0; i < 3; ++i) {
        const int32_t error = (1 << 13) - nacre_series_mul(half, x);
        x += nacre_series_left(nacre_series_mul(x, error), 2);
    }
    return x;
}

/* 1 / (1 + exp(-a)) in Q0.15 for a in Q3.12. */
NACRE_CODE
static inline int32_t nacre_series_logistic(int32_t a)
{
    const int32_t powers = nacre_series_exp(a < 0 ? a : -a, 3);
    const int32_t positive = nacre_series_left(nacre_series_reciprocal(powers), 1);
    return a == 0 ? 1 << 14 : a > 0 ? positive : INT16_MAX - positive;
}

/* tanh(a) in Q0.15 for a with `bits` integer bits: 2a with one more has the same digits. */
NACRE_CODE
static inline int32_t nacre_series_tanh(int32_t a, int32_t bits)
{
    const int32_t powers = nacre_series_exp(a < 0 ? a : -a, bits + 1);
    const int32_t magnitude = nacre_series_left(nacre_series_reciprocal(powers) - (1 << 13), 2);
    return a == 0 ? 0 : a < 0 ? -magnitude : magnitude;
}

#endif
