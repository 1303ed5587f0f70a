/* SPDX-License-Identifier: Apache-2.0 */
/* float fully connected layer with int8 weights: rows are quantized on the way. */
#include "nacre_fully_connected.h"
#include "nacre_dot_s8.h"
#include "nacre_hybrid.h"

NACRE_CODE
static float finish(float acc, const nacre_fully_connected_hybrid_params_t *p)
{
    const float raised = acc > p->activation_min ? acc : p->activation_min;
    return raised < p->activation_max ? raised : p->activation_max;
}

NACRE_CODE
void nacre_fully_connected_hybrid_f32(const float *input, const int8_t *weights,
                                      const float *scales, const float *bias, float *output,
                                      const nacre_fully_connected_hybrid_params_t *p,
                                      int8_t *scratch)
{
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const nacre_hybrid_row_t row = p->asymmetric != 0
                                           ? nacre_hybrid_asymmetric(input, p->inputs, scratch)
                                           : nacre_hybrid_symmetric(input, p->inputs, scratch);
        const int8_t *w = weights;
        for (int32_t o = 0; o < p->outputs; ++o) {
            int32_t acc = nacre_dot_s8(scratch, w, p->inputs);
            if (row.zero_point != 0) {
                acc -= row.zero_point * nacre_sum_s8(w, p->inputs);
            }
            const float scale = row.scale * scales[o * p->scale_step];
            output[o] = finish(bias[o] + (float)acc * scale, p);
            w += p->inputs;
        }
        input += p->inputs;
        output += p->outputs;
    }
}
