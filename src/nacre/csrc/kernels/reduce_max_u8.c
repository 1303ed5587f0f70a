/* SPDX-License-Identifier: Apache-2.0 */
/* Largest uint8 over axes. */
#include "nacre_reduce.h"

#define REDUCE_NAME nacre_reduce_max_u8
#define REDUCE_ELEMENT uint8_t
#define REDUCE_SUM uint8_t

NACRE_CODE
static inline uint8_t first(void) { return 0; }
NACRE_CODE
static inline uint8_t add(uint8_t largest, uint8_t x) { return x > largest ? x : largest; }

NACRE_CODE
static inline uint8_t finish(uint8_t largest, const nacre_reduce_params_t *p)
{
    (void)p;
    return largest;
}

#include "nacre_reduce_body.h"
