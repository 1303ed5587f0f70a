/* SPDX-License-Identifier: Apache-2.0 */
/* Largest int64 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_max_s64
#define REDUCE_ELEMENT int64_t
#define REDUCE_SUM int64_t

NACRE_CODE
static inline int64_t first(void) { return INT64_MIN; }
NACRE_CODE
static inline int64_t add(int64_t largest, int64_t x) { return x > largest ? x : largest; }

NACRE_CODE
static inline int64_t finish(int64_t largest, const nacre_reduce_params_t *p)
{
    (void)p;
    return largest;
}

#include "nacre_reduce_body.h"
