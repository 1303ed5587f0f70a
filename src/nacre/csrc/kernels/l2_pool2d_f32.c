/* SPDX-License-Identifier: Apache-2.0 */
/* float32 pool of root mean squares. */
#include "nacre_pool.h"

#include <math.h>

#define POOL_NAME nacre_l2_pool2d_f32
#define POOL_ELEMENT float
#define POOL_PARAMS nacre_pool2d_f32_params_t
#define POOL_SUM float

NACRE_CODE
static inline float first(void) { return 0.0f; }
NACRE_CODE
static inline float add(float sum, float x) { return sum + x * x; }

NACRE_CODE
static inline float finish(float sum, int32_t taps, const nacre_pool2d_f32_params_t *p)
{
    return nacre_clamp_f32(sqrtf(sum / (float)taps), p->activation_min, p->activation_max);
}

#include "nacre_pool_body.h"
