/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 fully connected layer with real scales. */
#include "nacre_fully_connected.h"
#include "nacre_real.h"

NACRE_CODE
static int32_t sum(const uint8_t *x, int32_t count)
{
    int32_t acc = 0;
    for (int32_t i = 0; i < count; ++i) {
        acc += x[i];
    }
    return acc;
}

NACRE_CODE
static int32_t dot(const uint8_t *x, const uint8_t *w, int32_t count)
{
    int32_t acc = 0;
    for (int32_t i = 0; i < count; ++i) {
        acc += x[i] * w[i];
    }
    return acc;
}

NACRE_CODE
void nacre_fully_connected_real_u8(const uint8_t *input, const uint8_t *weights,
                                   const int32_t *bias, const double *scales, uint8_t *output,
                                   const nacre_fully_connected_params_t *p)
{
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const uint8_t *w = weights;
        const int32_t offset = p->weights_offset * sum(input, p->inputs);
        for (int32_t o = 0; o < p->outputs; ++o) {
            const int32_t sums = nacre_add_wrapping(bias[o], offset);
            const int32_t acc = nacre_add_wrapping(sums, dot(input, w, p->inputs));
            const int32_t y = nacre_scale_real(acc, scales[o * p->scale_step]) + p->output_offset;
            output[o] = (uint8_t)nacre_clamp(y, p->activation_min, p->activation_max);
            w += p->inputs;
        }
        input += p->inputs;
        output += p->outputs;
    }
}
