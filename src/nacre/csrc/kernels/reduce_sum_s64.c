/* SPDX-License-Identifier: Apache-2.0 */
/* Sum, or mean, of int64 over axes; the sum wraps. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_sum_s64
#define REDUCE_ELEMENT int64_t
#define REDUCE_SUM uint64_t

NACRE_CODE
static inline uint64_t first(void) { return 0; }
NACRE_CODE
static inline uint64_t add(uint64_t sum, int64_t x) { return sum + (uint64_t)x; }

NACRE_CODE
static inline int64_t finish(uint64_t sum, const nacre_reduce_params_t *p)
{
    return p->count == 1 ? (int64_t)sum : (int64_t)sum / p->count;
}

#include "nacre_reduce_body.h"
