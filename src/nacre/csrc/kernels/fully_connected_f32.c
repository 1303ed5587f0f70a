/* SPDX-License-Identifier: Apache-2.0 */
/* float fully connected layer, four independent sums at a time. */
#include "nacre_fully_connected.h"

NACRE_CODE
static float finish(float acc, const nacre_fully_connected_float_params_t *p)
{
    const float raised = acc > p->activation_min ? acc : p->activation_min;
    return raised < p->activation_max ? raised : p->activation_max;
}

NACRE_CODE
static void four_outputs(const float *x, const float *w, const float *bias, float *y,
                         const nacre_fully_connected_float_params_t *p)
{
    const float *const w1 = w + p->inputs;
    const float *const w2 = w1 + p->inputs;
    const float *const w3 = w2 + p->inputs;
    float a0 = 0.0f;
    float a1 = 0.0f;
    float a2 = 0.0f;
    float a3 = 0.0f;
    for (int32_t i = 0; i < p->inputs; ++i) {
        a0 += x[i] * w[i];
        a1 += x[i] * w1[i];
        a2 += x[i] * w2[i];
        a3 += x[i] * w3[i];
    }
    y[0] = finish(a0 + bias[0], p);
    y[1] = finish(a1 + bias[1], p);
    y[2] = finish(a2 + bias[2], p);
    y[3] = finish(a3 + bias[3], p);
}

NACRE_CODE
void nacre_fully_connected_f32(const float *input, const float *weights, const float *bias,
                               float *output, const nacre_fully_connected_float_params_t *p)
{
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const float *w = weights;
        int32_t o = 0;
        for (; o + 4 <= p->outputs; o += 4) {
            four_outputs(input, w, bias + o, output + o, p);
            w += 4 * p->inputs;
        }
        for (; o < p->outputs; ++o) {
            float acc = 0.0f;
            for (int32_t i = 0; i < p->inputs; ++i) {
                acc += input[i] * w[i];
            }
            output[o] = finish(acc + bias[o], p);
            w += p->inputs;
        }
        input += p->inputs;
        output += p->outputs;
    }
}
