/* SPDX-License-Identifier: Apache-2.0 */
/* Smallest float32 over axes. */
#include "nacre_reduce.h"

#include <math.h>

#define REDUCE_NAME nacre_reduce_min_f32
#define REDUCE_ELEMENT float
#define REDUCE_SUM float

NACRE_CODE
static inline float first(void) { return INFINITY; }
NACRE_CODE
static inline float add(float smallest, float x) { return x < smallest ? x : smallest; }

NACRE_CODE
static inline float finish(float smallest, const nacre_reduce_params_t *p)
{
    (void)p;
    return smallest;
}

#include "nacre_reduce_body.h"
