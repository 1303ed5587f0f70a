/* SPDX-License-Identifier: Apache-2.0 */
/* Whether any value is true, over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_any_bool
#define REDUCE_ELEMENT uint8_t
#define REDUCE_SUM uint8_t

NACRE_CODE
static inline uint8_t first(void) { return 0u; }
NACRE_CODE
static inline uint8_t add(uint8_t any, uint8_t x) { return (uint8_t)(any | (x != 0u)); }

NACRE_CODE
static inline uint8_t finish(uint8_t any, const nacre_reduce_params_t *p)
{
    (void)p;
    return any;
}

#include "nacre_reduce_body.h"
