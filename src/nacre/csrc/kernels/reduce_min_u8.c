/* SPDX-License-Identifier: Apache-2.0 */
/* Smallest uint8 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_min_u8
#define REDUCE_ELEMENT uint8_t
#define REDUCE_SUM uint8_t

NACRE_CODE
static inline uint8_t first(void) { return UINT8_MAX; }
NACRE_CODE
static inline uint8_t add(uint8_t smallest, uint8_t x) { return x < smallest ? x : smallest; }

NACRE_CODE
static inline uint8_t finish(uint8_t smallest, const nacre_reduce_params_t *p)
{
    (void)p;
    return smallest;
}

#include "nacre_reduce_body.h"
