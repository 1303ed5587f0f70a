/* SPDX-License-Identifier: Apache-2.0 */
/* float32 local response normalisation. */
#include "nacre_lrn.h"

#include <math.h>

NACRE_CODE
void nacre_lrn_f32(const float *input, float *output, const nacre_lrn_params_t *p)
{
    for (int32_t pixel = 0; pixel < p->pixels; ++pixel) {
        for (int32_t c = 0; c < p->channels; ++c) {
            const int32_t end = nacre_min(p->channels, c + p->radius);
            float sum = 0.0f;
            for (int32_t i = nacre_max(0, c - p->radius); i < end; ++i) {
                sum += input[i] * input[i];
            }
            output[c] = input[c] * powf(p->bias + p->alpha * sum, -p->beta);
        }
        input += p->channels;
        output += p->channels;
    }
}
