/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums of int8 values, rescaled. */
#include "nacre_cumsum.h"
#include "nacre_requant.h"

NACRE_CODE
static int8_t finish(uint32_t sum, const nacre_cumsum_s8_params_t *p)
{
    return nacre_finish_s8((int32_t)sum, p->multiplier, p->shift, p->output_offset, -128, 127);
}

/* One line of p->size values, `step` apart, from its first to its last. */
NACRE_CODE
static void sum_line(const int8_t *x, int8_t *y, ptrdiff_t step, const nacre_cumsum_s8_params_t *p)
{
    uint32_t sum = (uint32_t)p->input_offset << 19;
    for (int32_t k = 0; k < p->size; ++k) {
        const uint32_t before = sum;
        sum += (uint32_t)(x[k * step] + p->input_offset) << 19;
        y[k * step] = finish(p->exclusive ? before : sum, p);
    }
}

NACRE_CODE
void nacre_cumsum_s8(const int8_t *input, int8_t *output, const nacre_cumsum_s8_params_t *p)
{
    const ptrdiff_t first = p->reverse ? (ptrdiff_t)(p->size - 1) * p->inner : 0;
    const ptrdiff_t step = p->reverse ? -p->inner : p->inner;
    for (int32_t o = 0; o < p->outer; ++o) {
        const ptrdiff_t line = (ptrdiff_t)o * p->size * p->inner + first;
        for (int32_t i = 0; i < p->inner; ++i) {
            sum_line(input + line + i, output + line + i, step, p);
        }
    }
}
