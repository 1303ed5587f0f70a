/* SPDX-License-Identifier: Apache-2.0 */
/* int8 SVDF with int16 state. */
#include "nacre_svdf.h"
#include "nacre_dot_s8.h"
#include "nacre_requant.h"

NACRE_CODE
static int16_t feature(const int8_t *x, const int8_t *w, const nacre_svdf_params_t *p)
{
    const int32_t acc = nacre_dot_offset_s8(x, p->input_offset, w, p->inputs);
    const int32_t scaled = nacre_requantize(acc, p->feature_multiplier, p->feature_shift);
    return (int16_t)(nacre_clamp(scaled, INT16_MIN, INT16_MAX) + p->state_offset);
}

/* Append a value to the state of a filter, return its sum over time, which may wrap. */
NACRE_CODE
static uint32_t over_time(int16_t *state, int16_t newest, const int16_t *times,
                          const nacre_svdf_params_t *p)
{
    const int32_t last = p->memory - 1;
    uint32_t acc = (uint32_t)(times[last] * (newest - p->state_offset));
    for (int32_t i = 0; i < last; ++i) {
        state[i] = state[i + 1];
        acc += (uint32_t)(times[i] * (state[i] - p->state_offset));
    }
    state[last] = newest;
    return acc;
}

NACRE_CODE
void nacre_svdf_s8_s16(const int8_t *input, const int8_t *features, const int16_t *times,
                       const int32_t *bias, int16_t *state, int8_t *output,
                       const nacre_svdf_params_t *p)
{
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const int8_t *w = features;
        const int16_t *time = times;
        for (int32_t unit = 0; unit < p->units; ++unit) {
            uint32_t acc = (uint32_t)bias[unit];
            for (int32_t filter = 0; filter < p->rank; ++filter) {
                acc += over_time(state, feature(input, w, p), time, p);
                state += p->memory;
                time += p->memory;
                w += p->inputs;
            }
            *output++ = nacre_finish_s8((int32_t)acc, p->output_multiplier, p->output_shift,
                                        p->output_offset, INT8_MIN, INT8_MAX);
        }
        input += p->inputs;
    }
}
