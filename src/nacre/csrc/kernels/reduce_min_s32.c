/* SPDX-License-Identifier: Apache-2.0 */
/* Smallest int32 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_min_s32
#define REDUCE_ELEMENT int32_t
#define REDUCE_SUM int32_t

NACRE_CODE
static inline int32_t first(void) { return INT32_MAX; }
NACRE_CODE
static inline int32_t add(int32_t smallest, int32_t x) { return x < smallest ? x : smallest; }

NACRE_CODE
static inline int32_t finish(int32_t smallest, const nacre_reduce_params_t *p)
{
    (void)p;
    return smallest;
}

#include "nacre_reduce_body.h"
