/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layers: every row of the input times a matrix of weights.
 *
 * Layout: input[batches][inputs], weights[outputs][inputs], output[batches][outputs].
 * Integers:
 *   acc = bias[o] + sum (x[i] + input_offset) * (w[o][i] + weights_offset)
 *   y[o] = clamp(scaled(acc) + output_offset)
 *   input_offset = -zero_point(x), or 0 where it is folded into the bias;
 *   weights_offset = -zero_point(w)
 * requant holds the multipliers of all outputs, then their shifts (nacre_requant.h); the `real`
 * kernels multiply by scales[o] in double precision and round once, half away from zero. A layer
 * with one scale has one of each and scale_step 0, else scale_step is 1.
 * Input and output must not overlap. No scratch unless the declaration names it.
 */
#ifndef NACRE_FULLY_CONNECTED_H
#define NACRE_FULLY_CONNECTED_H

#include "nacre_kernel.h"

typedef struct {
    int32_t batches;
    int32_t inputs;
    int32_t outputs;
    int32_t input_offset;
    int32_t weights_offset;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
    int32_t scale_step;
} nacre_fully_connected_params_t;

typedef struct {
    int32_t batches;
    int32_t inputs;
    int32_t outputs;
    float activation_min;
    float activation_max;
} nacre_fully_connected_float_params_t;

typedef struct {
    int32_t batches;
    int32_t inputs;
    int32_t outputs;
    int32_t scale_step;
    int32_t asymmetric;
    float activation_min;
    float activation_max;
} nacre_fully_connected_hybrid_params_t;

void nacre_fully_connected_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                              const int32_t *requant, int8_t *output,
                              const nacre_fully_connected_params_t *p);
void nacre_fully_connected_real_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                                   const double *scales, int8_t *output,
                                   const nacre_fully_connected_params_t *p);
void nacre_fully_connected_real_u8(const uint8_t *input, const uint8_t *weights,
                                   const int32_t *bias, const double *scales, uint8_t *output,
                                   const nacre_fully_connected_params_t *p);

/* With Helium: stream holds weights and bias (see nacre_rows_mve.h; the last step comes first),
 * requant for each four outputs their left shifts, multipliers and right shifts as numbers <= 0, or
 * once for all. Both offsets are in the bias. */
void nacre_fully_connected_s8_mve(const int8_t *input, const int8_t *stream,
                                  const int32_t *requant, int8_t *output,
                                  const nacre_fully_connected_params_t *p);

/* int16 inputs with int8 weights: zero points are 0, sums have 64 bits, requant rounds once;
 * the `narrow` kernel has 32-bit sums and rounds twice. */
void nacre_fully_connected_s16(const int16_t *input, const int8_t *weights, const int64_t *bias,
                               const int32_t *requant, int16_t *output,
                               const nacre_fully_connected_params_t *p);
void nacre_fully_connected_narrow_s16(const int16_t *input, const int8_t *weights,
                                      const int32_t *bias, const int32_t *requant, int16_t *output,
                                      const nacre_fully_connected_params_t *p);
void nacre_fully_connected_real_s16(const int16_t *input, const int8_t *weights,
                                    const int64_t *bias, const double *scales, int16_t *output,
                                    const nacre_fully_connected_params_t *p);

/* y[o] = clamp(bias[o] + sum x[i] * w[o][i]), summed in the order of i, the bias last. */
void nacre_fully_connected_f32(const float *input, const float *weights, const float *bias,
                               float *output, const nacre_fully_connected_float_params_t *p);

/* Float inputs with int8 weights: every row is quantized to 8 bits into scratch[inputs] first.
 * y[o] = clamp(bias[o] + scale(row) * scales[o] * sum (q[i] - zero_point(row)) * w[o][i]);
 * zero_point(row) = 0 unless asymmetric. */
void nacre_fully_connected_hybrid_f32(const float *input, const int8_t *weights,
                                      const float *scales, const float *bias, float *output,
                                      const nacre_fully_connected_hybrid_params_t *p,
                                      int8_t *scratch);

#endif
