/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 max pool. */
#include "nacre_pool.h"

#define POOL_NAME nacre_max_pool2d_u8
#define POOL_ELEMENT uint8_t
#define POOL_PARAMS nacre_pool2d_params_t
#define POOL_SUM uint8_t

NACRE_CODE
static inline uint8_t first(void) { return 0; }
NACRE_CODE
static inline uint8_t add(uint8_t largest, uint8_t x) { return x > largest ? x : largest; }

NACRE_CODE
static inline uint8_t finish(uint8_t largest, int32_t taps, const nacre_pool2d_params_t *p)
{
    (void)taps;
    return (uint8_t)nacre_clamp(largest, p->activation_min, p->activation_max);
}

#include "nacre_pool_body.h"
