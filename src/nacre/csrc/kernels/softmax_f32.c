/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of floats. */
#include <math.h>

#include "nacre_softmax.h"

NACRE_CODE
static void one_vector(const float *x, float *y, const nacre_softmax_float_params_t *p)
{
    float largest = x[0];
    for (int32_t c = 1; c < p->depth; ++c) {
        largest = x[c] > largest ? x[c] : largest;
    }
    float sum = 0.0f;
    for (int32_t c = 0; c < p->depth; ++c) {
        y[c] = expf((x[c] - largest) * p->beta);
        sum += y[c];
    }
    for (int32_t c = 0; c < p->depth; ++c) {
        y[c] /= sum;
    }
}

NACRE_CODE
void nacre_softmax_f32(const float *input, float *output, const nacre_each_t *shape,
                       const nacre_softmax_float_params_t *p, nacre_rows_t rows)
{
    for (int32_t r = rows.begin; r < rows.end; ++r) {
        const float *from = input + (r % shape->input_ring) * shape->row;
        float *to = output + (r % shape->output_ring) * shape->row;
        for (int32_t i = 0; i < shape->row; i += p->depth) {
            one_vector(from + i, to + i, p);
        }
    }
}
