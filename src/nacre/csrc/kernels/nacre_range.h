/* SPDX-License-Identifier: Apache-2.0 */
/* Clamp limits of a fused activation. */
#ifndef NACRE_RANGE_H
#define NACRE_RANGE_H

#include "nacre_kernel.h"

typedef struct {
    float activation_min;
    float activation_max;
} nacre_range_f32_t;

typedef struct {
    int32_t activation_min;
    int32_t activation_max;
} nacre_range_s32_t;

NACRE_CODE
static inline float nacre_limit_f32(float x, const nacre_range_f32_t *p)
{
    return nacre_clamp_f32(x, p->activation_min, p->activation_max);
}

NACRE_CODE
static inline int32_t nacre_limit_s32(int32_t x, const nacre_range_s32_t *p)
{
    return nacre_clamp(x, p->activation_min, p->activation_max);
}

#endif
