/* SPDX-License-Identifier: Apache-2.0 */
/* float32 max pool. */
#include "nacre_pool.h"

#include <float.h>

#define POOL_NAME nacre_max_pool2d_f32
#define POOL_ELEMENT float
#define POOL_PARAMS nacre_pool2d_f32_params_t
#define POOL_SUM float

NACRE_CODE
static inline float first(void) { return -FLT_MAX; }
NACRE_CODE
static inline float add(float largest, float x) { return x > largest ? x : largest; }

NACRE_CODE
static inline float finish(float largest, int32_t taps, const nacre_pool2d_f32_params_t *p)
{
    (void)taps;
    return nacre_clamp_f32(largest, p->activation_min, p->activation_max);
}

#include "nacre_pool_body.h"
