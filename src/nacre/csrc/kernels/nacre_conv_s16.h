/* SPDX-License-Identifier: Apache-2.0 */
/* The two ways of scaling the accumulators of 16-bit convolutions. */
#ifndef NACRE_CONV_S16_H
#define NACRE_CONV_S16_H

#include "nacre_conv.h"

/* 64-bit accumulator, 16-bit multiplier, rounded once. */
NACRE_CODE
static inline int16_t nacre_conv_output_s16(int64_t acc, int32_t multiplier, int32_t shift,
                                            const nacre_conv_params_t *p)
{
    const int32_t scaled = nacre_requantize_wide(acc, multiplier, shift);
    return (int16_t)nacre_clamp(scaled, p->activation_min, p->activation_max);
}

/* Accumulator wrapped to 32 bits, rounded twice. */
NACRE_CODE
static inline int16_t nacre_conv_output_bias32_s16(int64_t acc, int32_t multiplier, int32_t shift,
                                                   const nacre_conv_params_t *p)
{
    const int32_t wrapped = (int32_t)(uint32_t)(uint64_t)acc;
    const int32_t scaled = nacre_rescale(wrapped, multiplier, shift);
    return (int16_t)nacre_clamp(scaled, p->activation_min, p->activation_max);
}

#endif
