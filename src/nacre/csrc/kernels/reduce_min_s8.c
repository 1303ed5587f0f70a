/* SPDX-License-Identifier: Apache-2.0 */
/* Smallest int8 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_min_s8
#define REDUCE_ELEMENT int8_t
#define REDUCE_SUM int8_t

NACRE_CODE
static inline int8_t first(void) { return INT8_MAX; }
NACRE_CODE
static inline int8_t add(int8_t smallest, int8_t x) { return x < smallest ? x : smallest; }

NACRE_CODE
static inline int8_t finish(int8_t smallest, const nacre_reduce_params_t *p)
{
    (void)p;
    return smallest;
}

#include "nacre_reduce_body.h"
