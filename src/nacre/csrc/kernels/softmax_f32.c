/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of float rows. */
#include <math.h>

#include "nacre_softmax.h"

void nacre_softmax_f32(const float *input, float *output, const nacre_softmax_float_params_t *p)
{
    for (int32_t row = 0; row < p->rows; ++row) {
        float largest = input[0];
        for (int32_t c = 1; c < p->depth; ++c) {
            largest = input[c] > largest ? input[c] : largest;
        }
        float sum = 0.0f;
        for (int32_t c = 0; c < p->depth; ++c) {
            output[c] = expf((input[c] - largest) * p->beta);
            sum += output[c];
        }
        for (int32_t c = 0; c < p->depth; ++c) {
            output[c] /= sum;
        }
        input += p->depth;
        output += p->depth;
    }
}
