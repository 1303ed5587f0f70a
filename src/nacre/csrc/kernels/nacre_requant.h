/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling of accumulators to outputs: real multiplier = multiplier * 2^(shift - 31).
 *
 * -31 <= shift <= 30. Some layers are rounded once: all their shifts are stored NACRE_ONCE lower. */
#ifndef NACRE_REQUANT_H
#define NACRE_REQUANT_H

#include "nacre_kernel.h"

enum { NACRE_LEAST_SHIFT = -31, NACRE_ONCE = 64 };

/* Whether a stored shift asks for one rounding. */
NACRE_CODE
static inline int32_t nacre_rounds_once(int32_t shift) { return shift < NACRE_LEAST_SHIFT; }

/* A stored shift as it is meant. */
NACRE_CODE
static inline int32_t nacre_plain_shift(int32_t shift)
{
    return nacre_rounds_once(shift) ? shift + NACRE_ONCE : shift;
}

/* round(a * b / 2^31), ties up. b >= 0. */
NACRE_CODE
static inline int32_t nacre_high_mul(int32_t a, int32_t b)
{
    return (int32_t)(((int64_t)a * b + (INT64_C(1) << 30)) >> 31);
}

/* x / 2^exponent, ties away from zero. 0 <= exponent <= 31. */
NACRE_CODE
static inline int32_t nacre_rounding_shift(int32_t x, int32_t exponent)
{
    /* Half of 2^exponent, one less for negative x; none for exponent 0. */
    const uint32_t nudge = ((UINT32_C(1) << exponent) + (uint32_t)(x >> 31)) >> 1;
    return (int32_t)(((int64_t)x + nudge) >> exponent);
}

/* x * real multiplier, rounded twice: high multiply, then shift. -31 <= shift <= 30.
 * The two roundings share one sum: floor(floor(t / 2^31) / 2^e) = floor(t / 2^(31 + e)). */
NACRE_CODE
static inline int32_t nacre_requantize(int32_t x, int32_t multiplier, int32_t shift)
{
    if (shift >= 0) {
        return nacre_high_mul((int32_t)((uint32_t)x << shift), multiplier);
    }
    const int32_t exponent = -1 - shift;
    const int32_t nudge = (1 << exponent) + (x >> 31);
    const int64_t sum = (int64_t)x * multiplier + (1 << 30) + ((int64_t)nudge << 31);
    return (int32_t)(sum >> 32) >> exponent;
}

/* x * real multiplier, rounded once, ties up: for shifts that ask for it, or that are positive. */
NACRE_CODE
static inline int32_t nacre_requantize_once(int32_t x, int32_t multiplier, int32_t shift)
{
    const int32_t plain = nacre_plain_shift(shift);
    const int32_t right = plain < 0 ? -plain : 0;
    const int64_t wide = (int32_t)((uint32_t)x << (plain + right));
    return (int32_t)((wide * multiplier + (INT64_C(1) << (30 + right))) >> (31 + right));
}

/* x * real multiplier, rounded as the stored shift asks for. */
NACRE_CODE
static inline int32_t nacre_rescale(int32_t x, int32_t multiplier, int32_t shift)
{
    const uint32_t exponent = (uint32_t)(-1 - shift);
    return exponent > 30 ? nacre_requantize_once(x, multiplier, shift)
                         : nacre_requantize(x, multiplier, shift);
}

/* x * real multiplier for 64-bit accumulators (|x| < 2^47): 16-bit multiplier, rounded once. */
NACRE_CODE
static inline int32_t nacre_requantize_wide(int64_t x, int32_t multiplier, int32_t shift)
{
    const int32_t reduced = multiplier < 0x7FFF0000 ? (multiplier + (1 << 15)) >> 16 : 0x7FFF;
    const int32_t total = 15 - shift;
    return (int32_t)((x * reduced + (INT64_C(1) << (total - 1))) >> total);
}

/* Scale an accumulator, add the output's zero point, clamp: in an order that cannot overflow. */
NACRE_CODE
static inline int8_t nacre_finish_s8(int32_t acc, int32_t multiplier, int32_t shift, int32_t offset,
                                     int32_t low, int32_t high)
{
    const int32_t scaled = nacre_requantize(acc, multiplier, shift);
    return (int8_t)nacre_clamp_offset(scaled, offset, low, high);
}

#endif
