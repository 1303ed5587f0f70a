/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums of 32-bit integers. */
#include "nacre_cumsum.h"

/* One line of p->size values, `step` apart, from its first to its last. */
NACRE_CODE
static void sum_line(const int32_t *x, int32_t *y, ptrdiff_t step, const nacre_cumsum_params_t *p)
{
    uint32_t sum = 0;
    for (int32_t k = 0; k < p->size; ++k) {
        const uint32_t before = sum;
        sum += (uint32_t)x[k * step];
        y[k * step] = (int32_t)(p->exclusive ? before : sum);
    }
}

NACRE_CODE
void nacre_cumsum_s32(const int32_t *input, int32_t *output, const nacre_cumsum_params_t *p)
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
