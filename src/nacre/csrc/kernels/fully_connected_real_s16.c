/* SPDX-License-Identifier: Apache-2.0 */
/* int16 fully connected layer with int8 weights and real scales. */
#include "nacre_fully_connected.h"
#include "nacre_dot_s16.h"
#include "nacre_real.h"

NACRE_CODE
void nacre_fully_connected_real_s16(const int16_t *input, const int8_t *weights,
                                    const int64_t *bias, const double *scales, int16_t *output,
                                    const nacre_fully_connected_params_t *p)
{
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const int8_t *w = weights;
        for (int32_t o = 0; o < p->outputs; ++o) {
            const int64_t acc = bias[o] + nacre_dot_long_s16(input, w, p->inputs);
            const int32_t y = nacre_scale_real(acc, scales[o * p->scale_step]);
            output[o] = (int16_t)nacre_clamp(y, p->activation_min, p->activation_max);
            w += p->inputs;
        }
        input += p->inputs;
        output += p->outputs;
    }
}
