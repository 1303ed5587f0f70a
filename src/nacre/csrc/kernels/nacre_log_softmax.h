/* SPDX-License-Identifier: Apache-2.0 */
/* Logarithm of the softmax along the last axis: y[c] = x[c] - log(sum exp(x)), 0 <= c < depth.
 *
 * Tensors are walked as nacre_elementwise.h says; a row is made of vectors of depth >= 1 values.
 * The output may be the input.
 */
#ifndef NACRE_LOG_SOFTMAX_H
#define NACRE_LOG_SOFTMAX_H

#include "nacre_elementwise.h"

typedef struct {
    int32_t depth;
    int32_t entries;
    int32_t multiplier;
    int32_t shift;
    int32_t smallest;
    int32_t reverse_multiplier;
    int32_t reverse_shift;
} nacre_log_softmax_params_t;

/* exponentials[d] = exp(-scale(x) * d) in Q0.31 for 0 <= d < entries. Outputs have scale 1/16 and
 * zero point 127. Differences from the maximum times multiplier * 2^(shift - 31) are Q5.26; those
 * up to `smallest`, or which the logarithm takes out of range, give the lowest output. */
void nacre_log_softmax_s8(const int8_t *input, int8_t *output, const nacre_each_t *shape,
                          const int32_t *exponentials, const nacre_log_softmax_params_t *p,
                          nacre_rows_t rows);

void nacre_log_softmax_f32(const float *input, float *output, const nacre_each_t *shape,
                           int32_t depth, nacre_rows_t rows);

#endif
