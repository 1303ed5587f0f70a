/* SPDX-License-Identifier: Apache-2.0 */
/* Whether all values are true, over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_all_bool
#define REDUCE_ELEMENT uint8_t
#define REDUCE_SUM uint8_t

NACRE_CODE
static inline uint8_t first(void) { return 1u; }
NACRE_CODE
static inline uint8_t add(uint8_t all, uint8_t x) { return (uint8_t)(all & (x != 0u)); }

NACRE_CODE
static inline uint8_t finish(uint8_t all, const nacre_reduce_params_t *p)
{
    (void)p;
    return all;
}

#include "nacre_reduce_body.h"
