/* SPDX-License-Identifier: Apache-2.0 */
/* Rescaled sum, or mean, of uint8 over axes. */
#include "nacre_reduce.h"
#include "nacre_requant.h"

#define REDUCE_NAME nacre_reduce_sum_u8
#define REDUCE_ELEMENT uint8_t
#define REDUCE_SUM int32_t

NACRE_CODE
static inline int32_t first(void) { return 0; }
NACRE_CODE
static inline int32_t add(int32_t sum, uint8_t x) { return sum + x; }

NACRE_CODE
static inline uint8_t finish(int32_t sum, const nacre_reduce_params_t *p)
{
    const int32_t scaled = nacre_rescale(sum + p->input_offset, p->multiplier, p->shift);
    return (uint8_t)nacre_clamp_offset(scaled, p->output_offset, 0, UINT8_MAX);
}

#include "nacre_reduce_body.h"
