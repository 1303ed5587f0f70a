/* SPDX-License-Identifier: Apache-2.0 */
/* Natural logarithm in fixed point. Qm.n has m integer and n = 31 - m fraction bits. */
#ifndef NACRE_LOG_H
#define NACRE_LOG_H

#include "nacre_reciprocal.h"

/* log(r) near the fourth root of 1/2, in Q6.25: a quotient of polynomials in q = 2 (r - root). */
NACRE_CODE
static inline int32_t nacre_log_fraction(int32_t r)
{
    const int32_t root = 1805811301;
    const int32_t q = 2 * (r - root);
    const int32_t middle = (int32_t)(((int64_t)r + root + 1) / 2);
    const int32_t square = nacre_high_mul(q, q);
    const int32_t numerator =
        nacre_high_mul(q, r) + nacre_high_mul(nacre_high_mul(q, square), 117049297);
    const int32_t inner = 1057819769 + q + nacre_high_mul(127690142, square);
    const int32_t denominator = nacre_high_mul(middle, inner) + nacre_high_mul(638450708, q);
    return nacre_high_mul(nacre_rounding_shift(numerator, 6),
                          nacre_one_over_one_plus(denominator));
}

/* x * 2^bits: saturated, or rounded where bits is negative. */
NACRE_CODE
static inline int32_t nacre_shift_either_way(int32_t x, int32_t bits)
{
    return bits < 0 ? nacre_rounding_shift(x, -bits) : nacre_saturating_left(x, bits);
}

/* log(x) in Q5.26 for x >= 1 in Q12.19: x = r * 2^power, r nearest to the fourth root of 1/2. */
NACRE_CODE
static inline int32_t nacre_log(int32_t x)
{
    const int32_t sqrt_half = 1518500250;
    const int32_t above = nacre_leading_zeros((uint32_t)x);
    const int32_t below = nacre_leading_zeros((uint32_t)nacre_high_mul(x, sqrt_half)) - 1;
    const int32_t scaled = nacre_high_mul(nacre_shift_either_way(x, above - 1), sqrt_half);
    const int32_t r =
        nacre_min(nacre_saturating_left(scaled, 1), nacre_shift_either_way(x, below));
    const int32_t power = nacre_max((12 - above) * (1 << 25) + (1 << 23),
                                    (12 - below) * (1 << 25) - (1 << 23));
    return nacre_saturating_left(nacre_high_mul(power, 1488522236) + nacre_log_fraction(r), 1);
}

#endif
