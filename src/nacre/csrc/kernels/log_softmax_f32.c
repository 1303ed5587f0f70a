/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithm of the softmax of floats. */
#include <math.h>

#include "nacre_log_softmax.h"

NACRE_CODE
static void one_vector(const float *x, float *y, int32_t depth)
{
    float largest = x[0];
    for (int32_t c = 1; c < depth; ++c) {
        largest = x[c] > largest ? x[c] : largest;
    }
    float sum = 0.0f;
    for (int32_t c = 0; c < depth; ++c) {
        sum += expf(x[c] - largest);
    }
    const float logarithm = logf(sum);
    for (int32_t c = 0; c < depth; ++c) {
        y[c] = x[c] - largest - logarithm;
    }
}

NACRE_CODE
void nacre_log_softmax_f32(const float *input, float *output, const nacre_each_t *shape,
                           int32_t depth, nacre_rows_t rows)
{
    for (int32_t r = rows.begin; r < rows.end; ++r) {
        const float *from = input + (r % shape->input_ring) * shape->row;
        float *to = output + (r % shape->output_ring) * shape->row;
        for (int32_t i = 0; i < shape->row; i += depth) {
            one_vector(from + i, to + i, depth);
        }
    }
}
