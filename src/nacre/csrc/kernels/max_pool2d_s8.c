/* SPDX-License-Identifier: Apache-2.0 */
/* int8 max pool. */
#include "nacre_pool.h"

#define POOL_NAME nacre_max_pool2d_s8
#define POOL_ELEMENT int8_t
#define POOL_PARAMS nacre_pool2d_params_t
#define POOL_SUM int8_t

NACRE_CODE
static inline int8_t first(void) { return INT8_MIN; }
NACRE_CODE
static inline int8_t add(int8_t largest, int8_t x) { return x > largest ? x : largest; }

NACRE_CODE
static inline int8_t finish(int8_t largest, int32_t taps, const nacre_pool2d_params_t *p)
{
    (void)taps;
    return (int8_t)nacre_clamp(largest, p->activation_min, p->activation_max);
}

#include "nacre_pool_body.h"
