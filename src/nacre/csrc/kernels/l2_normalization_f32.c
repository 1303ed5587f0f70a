/* SPDX-License-Identifier: Apache-2.0 */
/* float vectors divided by their length. */
#include <math.h>

#include "nacre_l2_normalization.h"

NACRE_CODE
static void one_vector(const float *x, float *y, int32_t depth)
{
    float sum = 0.0f;
    for (int32_t c = 0; c < depth; ++c) {
        sum += x[c] * x[c];
    }
    const float root = sqrtf(sum);
    const float length = root > 1e-6f ? root : 1e-6f;
    for (int32_t c = 0; c < depth; ++c) {
        y[c] = x[c] / length;
    }
}

NACRE_CODE
void nacre_l2_normalization_f32(const float *input, float *output, const nacre_each_t *shape,
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
