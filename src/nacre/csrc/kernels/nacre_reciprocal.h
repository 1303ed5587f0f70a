/* SPDX-License-Identifier: Apache-2.0 */
/* Reciprocals in fixed point. Qm.n has m integer and n = 31 - m fraction bits. */
#ifndef NACRE_RECIPROCAL_H
#define NACRE_RECIPROCAL_H

#include "nacre_requant.h"

NACRE_CODE
static inline int32_t nacre_leading_zeros(uint32_t x)
{
    int32_t zeros = 32;
    while (x != 0) {
        x >>= 1;
        --zeros;
    }
    return zeros;
}

/* x * 2^bits, saturated. */
NACRE_CODE
static inline int32_t nacre_saturating_left(int32_t x, int32_t bits)
{
    const int64_t wide = (int64_t)x * (INT64_C(1) << bits);
    return wide > INT32_MAX ? INT32_MAX : wide < INT32_MIN ? INT32_MIN : (int32_t)wide;
}

/* 1 / (1 + a) in Q0.31 for 0 <= a <= 1 in Q0.31: three steps of Newton's iteration in Q2.29,
 * starting from the line 48/17 - 32/17 d. */
NACRE_CODE
static inline int32_t nacre_one_over_one_plus(int32_t a)
{
    const int32_t half = (int32_t)(((int64_t)a + INT32_MAX + 1) / 2);
    int32_t x = 1515870810 + nacre_high_mul(half, -1010580540);
    for (int32_t i = 0; i < 3; ++i) {
        const int32_t error = (1 << 29) - nacre_high_mul(half, x);
        x += nacre_saturating_left(nacre_high_mul(x, error), 2);
    }
    return nacre_saturating_left(x, 1);
}

#endif
