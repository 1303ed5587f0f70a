/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax from int8 to int16. */
#include "nacre_softmax.h"
#include "nacre_softmax_8.h"

NACRE_CODE
static void one_vector(const int8_t *x, int16_t *y, const int32_t *exponentials,
                       const nacre_softmax_params_t *p)
{
    int32_t largest = x[0];
    for (int32_t c = 1; c < p->depth; ++c) {
        largest = nacre_max(largest, x[c]);
    }
    int32_t sum = 0;
    for (int32_t c = 0; c < p->depth; ++c) {
        const int32_t distance = largest - x[c];
        sum += distance < p->entries ? nacre_softmax_summand(exponentials[distance]) : 0;
    }
    const nacre_softmax_scale_t scale = nacre_softmax_scale(sum, 16);
    for (int32_t c = 0; c < p->depth; ++c) {
        const int32_t distance = largest - x[c];
        const int32_t share =
            distance < p->entries ? nacre_softmax_share(exponentials[distance], scale) : 0;
        y[c] = (int16_t)nacre_min(share - 32768, INT16_MAX);
    }
}

NACRE_CODE
void nacre_softmax_s8_s16(const int8_t *input, int16_t *output, const nacre_each_t *shape,
                          const int32_t *exponentials, const nacre_softmax_params_t *p,
                          nacre_rows_t rows)
{
    for (int32_t r = rows.begin; r < rows.end; ++r) {
        const int8_t *from = input + (r % shape->input_ring) * shape->row;
        int16_t *to = output + (r % shape->output_ring) * shape->row;
        for (int32_t i = 0; i < shape->row; i += p->depth) {
            one_vector(from + i, to + i, exponentials, p);
        }
    }
}
