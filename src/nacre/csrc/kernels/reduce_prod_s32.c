/* SPDX-License-Identifier: Apache-2.0 */
/* Product of int32 over axes; it wraps. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_prod_s32
#define REDUCE_ELEMENT int32_t
#define REDUCE_SUM uint32_t

NACRE_CODE
static inline uint32_t first(void) { return 1u; }
NACRE_CODE
static inline uint32_t add(uint32_t product, int32_t x) { return product * (uint32_t)x; }

NACRE_CODE
static inline int32_t finish(uint32_t product, const nacre_reduce_params_t *p)
{
    (void)p;
    return (int32_t)product;
}

#include "nacre_reduce_body.h"
