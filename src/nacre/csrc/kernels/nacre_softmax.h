/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax along the last axis: y[c] = exp(beta x[c]) / sum exp(beta x), 0 <= c < depth.
 *
 * Tensors are walked as nacre_elementwise.h says; a row is made of vectors of depth >= 1 values.
 * The output may be the input where the element types are the same.
 */
#ifndef NACRE_SOFTMAX_H
#define NACRE_SOFTMAX_H

#include "nacre_elementwise.h"

typedef struct {
    int32_t depth;
    int32_t entries;
} nacre_softmax_params_t;

typedef struct {
    int32_t depth;
    int32_t multiplier;
    int32_t shift;
} nacre_softmax_wide_params_t;

typedef struct {
    int32_t depth;
    float beta;
} nacre_softmax_float_params_t;

/* exponentials[d] = exp(-beta * scale(x) * d) in Q0.31 for 0 <= d < entries; larger distances from
 * the vector's maximum count as zero. Outputs have 8 or 16 fraction bits and the lowest zero point. */
void nacre_softmax_s8(const int8_t *input, int8_t *output, const nacre_each_t *shape,
                      const int32_t *exponentials, const nacre_softmax_params_t *p,
                      nacre_rows_t rows);
void nacre_softmax_s8_s16(const int8_t *input, int16_t *output, const nacre_each_t *shape,
                          const int32_t *exponentials, const nacre_softmax_params_t *p,
                          nacre_rows_t rows);
void nacre_softmax_u8(const uint8_t *input, uint8_t *output, const nacre_each_t *shape,
                      const int32_t *exponentials, const nacre_softmax_params_t *p,
                      nacre_rows_t rows);

/* Differences from the maximum times multiplier * 2^(shift - 31) count steps of 10 / 65535.
 * Both tables have 513 samples in Q0.15, interpolated: exp over [-10, 0], 1 / (1 + x) over [0, 1].
 */
void nacre_softmax_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                       const int16_t *exponentials, const int16_t *reciprocals,
                       const nacre_softmax_wide_params_t *p, nacre_rows_t rows);

void nacre_softmax_f32(const float *input, float *output, const nacre_each_t *shape,
                       const nacre_softmax_float_params_t *p, nacre_rows_t rows);

#endif
