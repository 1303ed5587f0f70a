/* SPDX-License-Identifier: Apache-2.0 */
/* Smallest int64 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_min_s64
#define REDUCE_ELEMENT int64_t
#define REDUCE_SUM int64_t

NACRE_CODE
static inline int64_t first(void) { return INT64_MAX; }
NACRE_CODE
static inline int64_t add(int64_t smallest, int64_t x) { return x < smallest ? x : smallest; }

NACRE_CODE
static inline int64_t finish(int64_t smallest, const nacre_reduce_params_t *p)
{
    (void)p;
    return smallest;
}

#include "nacre_reduce_body.h"
