/* SPDX-License-Identifier: Apache-2.0 */
/* Running sums along one dimension of [outer][size][inner].
 *
 * y[o][k][i] = sum of x[o][j][i] over j <= k (j < k if exclusive), from the end if reverse.
 * Sums of integers wrap. int8 follows TFLite Micro, whose sums start at input_offset, not at 0:
 * y = clamp(requantize(sum * 2^19, multiplier, shift) + output_offset), 32 bits that wrap;
 * input_offset = -zero_point(x); sum = input_offset + sum (x + input_offset).
 * With inner = 1 and not reverse, output may begin at or before input, and overlap it.
 */
#ifndef NACRE_CUMSUM_H
#define NACRE_CUMSUM_H

#include "nacre_kernel.h"

typedef struct {
    int32_t outer;
    int32_t size;
    int32_t inner;
    int32_t exclusive;
    int32_t reverse;
} nacre_cumsum_params_t;

typedef struct {
    int32_t outer;
    int32_t size;
    int32_t inner;
    int32_t exclusive;
    int32_t reverse;
    int32_t input_offset;
    int32_t output_offset;
    int32_t multiplier;
    int32_t shift;
} nacre_cumsum_s8_params_t;

void nacre_cumsum_f32(const float *input, float *output, const nacre_cumsum_params_t *p);
void nacre_cumsum_s32(const int32_t *input, int32_t *output, const nacre_cumsum_params_t *p);
void nacre_cumsum_s64(const int64_t *input, int64_t *output, const nacre_cumsum_params_t *p);
void nacre_cumsum_s8(const int8_t *input, int8_t *output, const nacre_cumsum_s8_params_t *p);

#endif
