/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithm of the softmax of int8. */
#include "nacre_log_softmax.h"
#include "nacre_log.h"

NACRE_CODE
static int32_t log_of_sum(const int8_t *x, int32_t largest, const int32_t *exponentials,
                          const nacre_log_softmax_params_t *p)
{
    int32_t sum = 0;
    for (int32_t c = 0; c < p->depth; ++c) {
        const int32_t distance = largest - x[c];
        sum += distance < p->entries ? nacre_rounding_shift(exponentials[distance], 12) : 0;
    }
    return nacre_log(sum);
}

NACRE_CODE
static void one_vector(const int8_t *x, int8_t *y, const int32_t *exponentials,
                       const nacre_log_softmax_params_t *p)
{
    int32_t largest = x[0];
    for (int32_t c = 1; c < p->depth; ++c) {
        largest = nacre_max(largest, x[c]);
    }
    const int32_t logarithm = log_of_sum(x, largest, exponentials, p);
    const int32_t limit =
        nacre_max(p->smallest, nacre_requantize(logarithm + INT32_MIN, p->reverse_multiplier,
                                                p->reverse_shift));
    for (int32_t c = 0; c < p->depth; ++c) {
        const int32_t below = x[c] - largest;
        int32_t value = INT8_MIN;
        if (below > limit) {
            const int32_t scaled = nacre_requantize(below, p->multiplier, p->shift);
            value = nacre_rounding_shift(scaled - logarithm, 22) + 127;
        }
        y[c] = (int8_t)nacre_clamp(value, INT8_MIN, INT8_MAX);
    }
}

NACRE_CODE
void nacre_log_softmax_s8(const int8_t *input, int8_t *output, const nacre_each_t *shape,
                          const int32_t *exponentials, const nacre_log_softmax_params_t *p,
                          nacre_rows_t rows)
{
    for (int32_t r = rows.begin; r < rows.end; ++r) {
        const int8_t *from = input + (r % shape->input_ring) * shape->row;
        int8_t *to = output + (r % shape->output_ring) * shape->row;
        for (int32_t i = 0; i < shape->row; i += p->depth) {
            one_vector(from + i, to + i, exponentials, p);
        }
    }
}
