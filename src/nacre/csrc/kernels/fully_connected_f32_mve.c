/* SPDX-License-Identifier: Apache-2.0 */
/* float fully connected layer on Helium: eight outputs at a time. */
#include "nacre_f32_mve.h"
#include "nacre_lanes_f32_mve.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)

NACRE_CODE
void nacre_fully_connected_f32_mve(const float *input, const float *weights, const float *bias,
                                   float *output, const nacre_fully_connected_float_params_t *p)
{
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const float *w = weights;
        for (int32_t o = 0; o < p->outputs; o += NACRE_LANES_MVE) {
            nacre_lanes_t acc = {vdupq_n_f32(0.0f), vdupq_n_f32(0.0f)};
            nacre_lanes_one_mve(input, w, p->inputs, &acc);
            nacre_lanes_finish_mve(&acc, bias + o, p->activation_min, p->activation_max,
                                   output + o, nacre_min(NACRE_LANES_MVE, p->outputs - o));
            w += p->inputs * NACRE_LANES_MVE;
        }
        input += p->inputs;
        output += p->outputs;
    }
}

#endif
