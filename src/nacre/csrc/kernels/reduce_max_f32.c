/* SPDX-License-Identifier: Apache-2.0 */
/* Largest float32 over axes. */
#include "nacre_reduce.h"

#include <math.h>

#define REDUCE_NAME nacre_reduce_max_f32
#define REDUCE_ELEMENT float
#define REDUCE_SUM float

NACRE_CODE
static inline float first(void) { return -INFINITY; }
NACRE_CODE
static inline float add(float largest, float x) { return x > largest ? x : largest; }

NACRE_CODE
static inline float finish(float largest, const nacre_reduce_params_t *p)
{
    (void)p;
    return largest;
}

#include "nacre_reduce_body.h"
