/* SPDX-License-Identifier: Apache-2.0 */
/* Largest int16 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_max_s16
#define REDUCE_ELEMENT int16_t
#define REDUCE_SUM int16_t

NACRE_CODE
static inline int16_t first(void) { return INT16_MIN; }
NACRE_CODE
static inline int16_t add(int16_t largest, int16_t x) { return x > largest ? x : largest; }

NACRE_CODE
static inline int16_t finish(int16_t largest, const nacre_reduce_params_t *p)
{
    (void)p;
    return largest;
}

#include "nacre_reduce_body.h"
