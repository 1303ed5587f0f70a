/* SPDX-License-Identifier: Apache-2.0 */
/* int16 average pool. */
#include "nacre_pool.h"

#define POOL_NAME nacre_average_pool2d_s16
#define POOL_ELEMENT int16_t
#define POOL_PARAMS nacre_pool2d_params_t
#define POOL_SUM int32_t

NACRE_CODE
static inline int32_t first(void) { return 0; }
NACRE_CODE
static inline int32_t add(int32_t sum, int16_t x) { return sum + x; }

/* sum / taps, ties away from zero. */
NACRE_CODE
static inline int16_t finish(int32_t sum, int32_t taps, const nacre_pool2d_params_t *p)
{
    const int32_t half = sum > 0 ? taps / 2 : -(taps / 2);
    return (int16_t)nacre_clamp((sum + half) / taps, p->activation_min, p->activation_max);
}

#include "nacre_pool_body.h"
