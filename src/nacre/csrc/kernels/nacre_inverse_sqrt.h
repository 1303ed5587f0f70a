/* SPDX-License-Identifier: Apache-2.0 */
/* 1 / sqrt(x) of integers as a multiplier and a shift. */
#ifndef NACRE_INVERSE_SQRT_H
#define NACRE_INVERSE_SQRT_H

#include "nacre_reciprocal.h"

/* real value = multiplier * 2^(shift - 31), shift <= 0. */
typedef struct {
    int32_t multiplier;
    int32_t shift;
} nacre_inverse_sqrt_t;

/* x >= 0; 0 counts as 1. Five steps of Newton's iteration in Q3.28, from 1. */
NACRE_CODE
static inline nacre_inverse_sqrt_t nacre_inverse_sqrt(int32_t x)
{
    nacre_inverse_sqrt_t result = {INT32_MAX, 0};
    if (x <= 1) {
        return result;
    }
    const int32_t large = x >= 1 << 29;
    const int32_t reduced = large ? x / 4 : x;
    const int32_t pairs = (nacre_leading_zeros((uint32_t)reduced) - 1) / 2 - 1;
    const int32_t shift = (large ? 12 : 11) - pairs;
    const int32_t half = nacre_rounding_shift((reduced << (2 * pairs)) >> 1, 1);
    int32_t root = 1 << 28;
    for (int32_t i = 0; i < 5; ++i) {
        const int32_t square = nacre_high_mul(root, root);
        const int32_t cube = nacre_saturating_left(nacre_high_mul(square, root), 6);
        const int32_t next = nacre_high_mul(root, (1 << 28) + (1 << 27)) -
                             nacre_high_mul(half, cube);
        root = nacre_saturating_left(next, 3);
    }
    result.multiplier = nacre_high_mul(root, 1518500250) << (shift < 0 ? -shift : 0);
    result.shift = shift < 0 ? 0 : -shift;
    return result;
}

#endif
