/* SPDX-License-Identifier: Apache-2.0 */
/* Sum, or mean, of int32 over axes; the result wraps. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_sum_s32
#define REDUCE_ELEMENT int32_t
#define REDUCE_SUM int64_t

NACRE_CODE
static inline int64_t first(void) { return 0; }
NACRE_CODE
static inline int64_t add(int64_t sum, int32_t x) { return sum + x; }

NACRE_CODE
static inline int32_t finish(int64_t sum, const nacre_reduce_params_t *p)
{
    return (int32_t)(p->count == 1 ? sum : sum / p->count);
}

#include "nacre_reduce_body.h"
