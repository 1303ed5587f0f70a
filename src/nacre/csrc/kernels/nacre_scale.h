/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling of many small numbers by one multiplier, with what they share worked out before.
 *
 * nacre_scale(x) = nacre_requantize(x, multiplier, shift), for |x| <= 2^30 where shift <= 0.
 * Both roundings are one addition: up at ties of the product, then away from zero at ties of the
 * shift, which is one less where the product is negative. Where one rounding is asked for, it is
 * up at ties of the whole.
 */
#ifndef NACRE_SCALE_H
#define NACRE_SCALE_H

#include "nacre_requant.h"

typedef struct {
    uint32_t unit; /* 2^shift where that is to the left */
    int32_t right; /* shift to the right */
    int32_t away;  /* all ones where that shift rounds away from zero */
    int64_t half;  /* all roundings */
    int64_t multiplier;
} nacre_scale_t;

NACRE_CODE
static inline nacre_scale_t nacre_scale_setup(int32_t multiplier, int32_t shift)
{
    const int32_t power = nacre_plain_shift(shift);
    const int32_t right = power < 0 ? -power : 0;
    const int32_t twice = right > 0 && !nacre_rounds_once(shift);
    const int64_t half = (INT64_C(1) << (30 + right)) + (twice ? INT64_C(1) << 30 : 0);
    const nacre_scale_t scale = {UINT32_C(1) << (power > 0 ? power : 0), right, twice ? -1 : 0,
                                 half, multiplier};
    return scale;
}

NACRE_CODE
static inline int32_t nacre_scale(int32_t x, const nacre_scale_t *scale)
{
    const int64_t product = (int32_t)((uint32_t)x * scale->unit) * scale->multiplier;
    const int32_t rounded =
        (int32_t)((product + scale->half) >> 31) + ((int32_t)(product >> 63) & scale->away);
    return rounded >> scale->right;
}

#endif
