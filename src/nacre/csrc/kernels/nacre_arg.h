/* SPDX-License-Identifier: Apache-2.0 */
/* Where the largest or smallest value along an axis is.
 *
 * y[o][j] = the first i for which x[o][i][j] is extreme; x is [outer][size][inner], y is
 * [outer][inner]. With index_words = 2 an index is a little-endian 64-bit integer.
 * size >= 1. Input and output do not overlap. No scratch.
 */
#ifndef NACRE_ARG_H
#define NACRE_ARG_H

#include "nacre_kernel.h"

typedef struct {
    int32_t outer;
    int32_t size;
    int32_t inner;
    int32_t index_words;
} nacre_arg_params_t;

void nacre_arg_max_s8(const int8_t *input, int32_t *output, const nacre_arg_params_t *p);
void nacre_arg_max_u8(const uint8_t *input, int32_t *output, const nacre_arg_params_t *p);
void nacre_arg_max_s16(const int16_t *input, int32_t *output, const nacre_arg_params_t *p);
void nacre_arg_max_s32(const int32_t *input, int32_t *output, const nacre_arg_params_t *p);
void nacre_arg_max_f32(const float *input, int32_t *output, const nacre_arg_params_t *p);
void nacre_arg_min_s8(const int8_t *input, int32_t *output, const nacre_arg_params_t *p);
void nacre_arg_min_u8(const uint8_t *input, int32_t *output, const nacre_arg_params_t *p);
void nacre_arg_min_s16(const int16_t *input, int32_t *output, const nacre_arg_params_t *p);
void nacre_arg_min_s32(const int32_t *input, int32_t *output, const nacre_arg_params_t *p);
void nacre_arg_min_f32(const float *input, int32_t *output, const nacre_arg_params_t *p);

#endif
