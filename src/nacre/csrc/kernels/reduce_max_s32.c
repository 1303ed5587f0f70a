/* SPDX-License-Identifier: Apache-2.0 */
/* Largest int32 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_max_s32
#define REDUCE_ELEMENT int32_t
#define REDUCE_SUM int32_t

NACRE_CODE
static inline int32_t first(void) { return INT32_MIN; }
NACRE_CODE
static inline int32_t add(int32_t largest, int32_t x) { return x > largest ? x : largest; }

NACRE_CODE
static inline int32_t finish(int32_t largest, const nacre_reduce_params_t *p)
{
    (void)p;
    return largest;
}

#include "nacre_reduce_body.h"
