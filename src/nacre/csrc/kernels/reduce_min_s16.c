/* SPDX-License-Identifier: Apache-2.0 */
/* Smallest int16 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_min_s16
#define REDUCE_ELEMENT int16_t
#define REDUCE_SUM int16_t

NACRE_CODE
static inline int16_t first(void) { return INT16_MAX; }
NACRE_CODE
static inline int16_t add(int16_t smallest, int16_t x) { return x < smallest ? x : smallest; }

NACRE_CODE
static inline int16_t finish(int16_t smallest, const nacre_reduce_params_t *p)
{
    (void)p;
    return smallest;
}

#include "nacre_reduce_body.h"
