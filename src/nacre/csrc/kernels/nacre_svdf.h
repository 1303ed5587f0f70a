/* SPDX-License-Identifier: Apache-2.0 */
/* SVDF: filters over features and time that share their output unit, `rank` of them per unit.
 *
 * Layout: input[batches][inputs], features[units * rank][inputs], times[units * rank][memory],
 * bias[units], state[batches][units * rank][memory], output[batches][units].
 * For every filter f the state moves one step to the left and its last value becomes
 *   saturated(scaled(sum (x[i] + input_offset) * features[f][i])) + state_offset, which wraps;
 * then y[u] = scaled(bias[u] + sum over its filters of (state - state_offset) * times)
 *             + output_offset, saturated.
 * input_offset = -zero_point(x), state_offset = zero_point(state). Scaling rounds twice, sums of
 * 32 bits wrap.
 * The output must not overlap the rest. No scratch.
 */
#ifndef NACRE_SVDF_H
#define NACRE_SVDF_H

#include "nacre_kernel.h"

typedef struct {
    int32_t batches;
    int32_t inputs;
    int32_t units;
    int32_t rank;
    int32_t memory;
    int32_t input_offset;
    int32_t feature_multiplier;
    int32_t feature_shift;
    int32_t state_offset;
    int32_t output_multiplier;
    int32_t output_shift;
    int32_t output_offset;
} nacre_svdf_params_t;

typedef struct {
    int32_t batches;
    int32_t inputs;
    int32_t units;
    int32_t rank;
    int32_t memory;
    float activation_min;
    float activation_max;
} nacre_svdf_float_params_t;

void nacre_svdf_s8(const int8_t *input, const int8_t *features, const int8_t *times,
                   const int32_t *bias, int8_t *state, int8_t *output,
                   const nacre_svdf_params_t *p);
void nacre_svdf_s8_s16(const int8_t *input, const int8_t *features, const int16_t *times,
                       const int32_t *bias, int16_t *state, int8_t *output,
                       const nacre_svdf_params_t *p);
void nacre_svdf_f32(const float *input, const float *features, const float *times,
                    const float *bias, float *state, float *output,
                    const nacre_svdf_float_params_t *p);

#endif
