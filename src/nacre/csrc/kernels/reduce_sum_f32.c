/* SPDX-License-Identifier: Apache-2.0 */
/* Sum, or mean, of float32 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_sum_f32
#define REDUCE_ELEMENT float
#define REDUCE_SUM float

NACRE_CODE
static inline float first(void) { return 0.0f; }
NACRE_CODE
static inline float add(float sum, float x) { return sum + x; }
NACRE_CODE
static inline float finish(float sum, const nacre_reduce_params_t *p) { return sum / (float)p->count; }

#include "nacre_reduce_body.h"
