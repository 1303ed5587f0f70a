/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling of shifted sums, as in nacre_conv_dsp.h. */
#ifndef NACRE_SCALE_DSP_H
#define NACRE_SCALE_DSP_H

#include "nacre_dsp.h"

typedef struct {
    int32_t multiplier;
    int32_t nudge;
    int32_t exponent;
    int32_t away; /* all ones where the shift rounds */
} nacre_scale_dsp_t;

/* Rounds ties of the product up, ties of the shift away from zero, then adds `offset`. */
NACRE_CODE
static inline nacre_scale_dsp_t nacre_scale_dsp_setup(int32_t multiplier, int32_t exponent,
                                                      int32_t offset)
{
    const int32_t nudge = (1 << exponent >> 1) + offset * (1 << exponent);
    const nacre_scale_dsp_t scale = {multiplier, nudge, exponent, exponent > 0 ? -1 : 0};
    return scale;
}

NACRE_CODE
static inline int32_t nacre_scale_dsp(int32_t doubled, nacre_scale_dsp_t scale)
{
    const int32_t nudge = scale.nudge + ((doubled >> 31) & scale.away);
    return nacre_high_add(doubled, scale.multiplier, nudge) >> scale.exponent;
}

/* Rounds ties of the whole up. exponent >= 1. */
NACRE_CODE
static inline int32_t nacre_scale_once_dsp(int32_t fourfold, nacre_scale_dsp_t scale)
{
    return nacre_high_add_floor(fourfold, scale.multiplier, scale.nudge) >> scale.exponent;
}

#endif
