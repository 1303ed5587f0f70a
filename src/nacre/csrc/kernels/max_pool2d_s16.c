/* SPDX-License-Identifier: Apache-2.0 */
/* int16 max pool. */
#include "nacre_pool.h"

#define POOL_NAME nacre_max_pool2d_s16
#define POOL_ELEMENT int16_t
#define POOL_PARAMS nacre_pool2d_params_t
#define POOL_SUM int16_t

NACRE_CODE
static inline int16_t first(void) { return INT16_MIN; }
NACRE_CODE
static inline int16_t add(int16_t largest, int16_t x) { return x > largest ? x : largest; }

NACRE_CODE
static inline int16_t finish(int16_t largest, int32_t taps, const nacre_pool2d_params_t *p)
{
    (void)taps;
    return (int16_t)nacre_clamp(largest, p->activation_min, p->activation_max);
}

#include "nacre_pool_body.h"
