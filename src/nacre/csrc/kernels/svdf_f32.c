/* SPDX-License-Identifier: Apache-2.0 */
/* float SVDF. */
#include "nacre_svdf.h"

NACRE_CODE
static float feature(const float *x, const float *w, int32_t inputs)
{
    float acc = 0.0f;
    for (int32_t i = 0; i < inputs; ++i) {
        acc += x[i] * w[i];
    }
    return acc;
}

/* Append a value to the state of a filter, return its sum over time. */
NACRE_CODE
static float over_time(float *state, float newest, const float *times, int32_t memory)
{
    float acc = 0.0f;
    for (int32_t i = 0; i < memory - 1; ++i) {
        state[i] = state[i + 1];
        acc += times[i] * state[i];
    }
    state[memory - 1] = newest;
    return acc + times[memory - 1] * newest;
}

NACRE_CODE
void nacre_svdf_f32(const float *input, const float *features, const float *times,
                    const float *bias, float *state, float *output,
                    const nacre_svdf_float_params_t *p)
{
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const float *w = features;
        const float *time = times;
        for (int32_t unit = 0; unit < p->units; ++unit) {
            float acc = bias[unit];
            for (int32_t filter = 0; filter < p->rank; ++filter) {
                acc += over_time(state, feature(input, w, p->inputs), time, p->memory);
                state += p->memory;
                time += p->memory;
                w += p->inputs;
            }
            const float raised = acc > p->activation_min ? acc : p->activation_min;
            *output++ = raised < p->activation_max ? raised : p->activation_max;
        }
        input += p->inputs;
    }
}
