/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums of floats. */
#include "nacre_cumsum.h"

/* One line of p->size values, `step` apart, from its first to its last. */
NACRE_CODE
static void sum_line(const float *x, float *y, ptrdiff_t step, const nacre_cumsum_params_t *p)
{
    float sum = 0;
    for (int32_t k = 0; k < p->size; ++k) {
        const float before = sum;
        sum += x[k * step];
        y[k * step] = (p->exclusive ? before : sum);
    }
}

NACRE_CODE
void nacre_cumsum_f32(const float *input, float *output, const nacre_cumsum_params_t *p)
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
