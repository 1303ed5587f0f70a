/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layers: every row of the input times a matrix of weights.
 *
 * Layout: input[batches][inputs], weights[outputs][inputs], output[batches][outputs].
 * Integers, the input's zero point folded into the bias:
 *   acc = bias[o] + weights_offset * sum x[i] + sum x[i] * w[o][i]
 *   y[o] = clamp(requantize(acc) + output_offset);  weights_offset = -zero_point(w)
 * requant holds the multipliers of all channels, then their shifts; a layer with one scale has one
 * of each and requant_step 0, else requant_step is 1.
 * Input and output must not overlap. No scratch unless the declaration names it.
 */
#ifndef NACRE_FULLY_CONNECTED_H
#define NACRE_FULLY_CONNECTED_H

#include "nacre_kernel.h"

typedef struct {
    int32_t batches;
    int32_t inputs;
    int32_t outputs;
    int32_t weights_offset;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
    int32_t requant_step;
} nacre_fully_connected_params_t;

typedef struct {
    int32_t batches;
    int32_t inputs;
    int32_t outputs;
    float activation_min;
    float activation_max;
} nacre_fully_connected_float_params_t;

/* Rounds twice: high multiply, then shift. */
void nacre_fully_connected_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                              const int32_t *requant, int8_t *output,
                              const nacre_fully_connected_params_t *p);

/* Rounds once. */
void nacre_fully_connected_once_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                                   const int32_t *requant, int8_t *output,
                                   const nacre_fully_connected_params_t *p);

/* y[o] = clamp(bias[o] + sum x[i] * w[o][i]), summed in the order of i, the bias last. */
void nacre_fully_connected_f32(const float *input, const float *weights, const float *bias,
                               float *output, const nacre_fully_connected_float_params_t *p);

#endif
