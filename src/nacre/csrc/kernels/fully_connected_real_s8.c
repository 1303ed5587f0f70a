/* SPDX-License-Identifier: Apache-2.0 */
/* int8 fully connected layer with real scales, four outputs at a time. */
#include "nacre_fully_connected.h"
#include "nacre_dot_s8.h"
#include "nacre_real.h"

static int8_t finish(int32_t acc, double scale, const nacre_fully_connected_params_t *p)
{
    return (int8_t)nacre_clamp(nacre_scale_real(acc, scale) + p->output_offset, p->activation_min,
                               p->activation_max);
}

void nacre_fully_connected_real_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                                   const double *scales, int8_t *output,
                                   const nacre_fully_connected_params_t *p)
{
    const int32_t step = p->scale_step;
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const int8_t *w = weights;
        const int32_t offset =
            p->weights_offset != 0 ? p->weights_offset * nacre_sum_s8(input, p->inputs) : 0;
        int32_t o = 0;
        for (; o + 4 <= p->outputs; o += 4) {
            int32_t acc[4] = {bias[o] + offset, bias[o + 1] + offset, bias[o + 2] + offset,
                              bias[o + 3] + offset};
            nacre_dot4_s8(input, w, (size_t)p->inputs, p->inputs, acc);
            w += 4 * p->inputs;
            for (int32_t j = 0; j < 4; ++j) {
                output[o + j] = finish(acc[j], scales[(o + j) * step], p);
            }
        }
        for (; o < p->outputs; ++o) {
            const int32_t acc = bias[o] + offset + nacre_dot_s8(input, w, p->inputs);
            output[o] = finish(acc, scales[o * step], p);
            w += p->inputs;
        }
        input += p->inputs;
        output += p->outputs;
    }
}
