/* SPDX-License-Identifier: Apache-2.0 */
/* What the softmax kernels with 8-bit inputs share: from exponentials to probabilities. */
#ifndef NACRE_SOFTMAX_8_H
#define NACRE_SOFTMAX_8_H

#include "nacre_reciprocal.h"

/* 1 / sum = reciprocal * 2^-exponent, less the output's fraction bits. */
typedef struct {
    int32_t reciprocal;
    int32_t exponent;
} nacre_softmax_scale_t;

/* An exponential in Q0.31 as a summand in Q12.19. */
NACRE_CODE
static inline int32_t nacre_softmax_summand(int32_t exponential)
{
    return nacre_rounding_shift(exponential, 12);
}

/* sum in Q12.19, at least 1. */
NACRE_CODE
static inline nacre_softmax_scale_t nacre_softmax_scale(int32_t sum, int32_t output_bits)
{
    const int32_t headroom = nacre_leading_zeros((uint32_t)sum);
    const uint32_t fraction = ((uint32_t)sum << headroom) - (UINT32_C(1) << 31);
    const nacre_softmax_scale_t scale = {nacre_one_over_one_plus((int32_t)fraction),
                                         12 - headroom + 31 - output_bits};
    return scale;
}

/* exponential / sum in 2^-output_bits. */
NACRE_CODE
static inline int32_t nacre_softmax_share(int32_t exponential, nacre_softmax_scale_t scale)
{
    return nacre_rounding_shift(nacre_high_mul(exponential, scale.reciprocal), scale.exponent);
}

#endif
