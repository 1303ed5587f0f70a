/* SPDX-License-Identifier: Apache-2.0 */
/* Product of float32 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_prod_f32
#define REDUCE_ELEMENT float
#define REDUCE_SUM float

NACRE_CODE
static inline float first(void) { return 1.0f; }
NACRE_CODE
static inline float add(float product, float x) { return product * x; }

NACRE_CODE
static inline float finish(float product, const nacre_reduce_params_t *p)
{
    (void)p;
    return product;
}

#include "nacre_reduce_body.h"
