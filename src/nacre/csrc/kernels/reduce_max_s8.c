/* SPDX-License-Identifier: Apache-2.0 */
/* Largest int8 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_max_s8
#define REDUCE_ELEMENT int8_t
#define REDUCE_SUM int8_t

NACRE_CODE
static inline int8_t first(void) { return INT8_MIN; }
NACRE_CODE
static inline int8_t add(int8_t largest, int8_t x) { return x > largest ? x : largest; }

NACRE_CODE
static inline int8_t finish(int8_t largest, const nacre_reduce_params_t *p)
{
    (void)p;
    return largest;
}

#include "nacre_reduce_body.h"
