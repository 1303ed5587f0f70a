/* SPDX-License-Identifier: Apache-2.0 */
/* Rescaled sum, or mean, of int8 over axes. */
#include "nacre_reduce.h"
#include "nacre_requant.h"

#define REDUCE_NAME nacre_reduce_sum_s8
#define REDUCE_ELEMENT int8_t
#define REDUCE_SUM int32_t

NACRE_CODE
static inline int32_t first(void) { return 0; }
NACRE_CODE
static inline int32_t add(int32_t sum, int8_t x) { return sum + x; }

NACRE_CODE
static inline int8_t finish(int32_t sum, const nacre_reduce_params_t *p)
{
    const int32_t scaled = nacre_rescale(sum + p->input_offset, p->multiplier, p->shift);
    return (int8_t)nacre_clamp_offset(scaled, p->output_offset, INT8_MIN, INT8_MAX);
}

#include "nacre_reduce_body.h"
