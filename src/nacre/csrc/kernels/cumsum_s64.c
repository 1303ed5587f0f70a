/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums of 64-bit integers. */
#include "nacre_cumsum.h"

/* One line of p->size values, `step` apart, from its first to its last. */
NACRE_CODE
static void sum_line(const int64_t *x, int64_t *y, ptrdiff_t step, const nacre_cumsum_params_t *p)
{
    uint64_t sum = 0;
    for (int32_t k = 0; k < p->size; ++k) {
        const uint64_t before = sum;
        sum += (uint64_t)x[k * step];
        y[k * step] = (int64_t)(p->exclusive ? before : sum);
    }
}

NACRE_CODE
void nacre_cumsum_s64(const int64_t *input, int64_t *output, const nacre_cumsum_params_t *p)
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
