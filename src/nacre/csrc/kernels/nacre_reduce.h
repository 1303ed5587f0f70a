/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions over axes.
 *
 * The axes are merged into groups. Output value (a, b, c, i) reduces the inputs at
 *   a*kept_stride[0] + b*kept_stride[1] + c*kept_stride[2] + i
 *     + r*reduced_stride[0] + s*reduced_stride[1] + t*reduced_stride[2]
 * over all r, s, t below reduced_size, in this order; i < inner. Outputs are dense.
 *   sum, integers    y = saturate(requantize(sum x + input_offset) + output_offset)
 *   sum, s32/64, f32 y = (sum x) / count, towards zero for integers
 *   prod, integers   p = x[0] + input_offset; p = requantize(p * (x[i] + input_offset)) for the
 *                    others; y = saturate(requantize(p) + output_offset)
 *   max, min, prod s32, s64 and f32, any, all as the name says
 * Input and output do not overlap. No scratch.
 */
#ifndef NACRE_REDUCE_H
#define NACRE_REDUCE_H

#include "nacre_kernel.h"

typedef struct {
    int32_t kept_size[3];
    int32_t kept_stride[3];
    int32_t inner;
    int32_t reduced_size[3];
    int32_t reduced_stride[3];
    int32_t count;
    int32_t input_offset;
    int32_t multiplier;
    int32_t shift;
    int32_t output_offset;
} nacre_reduce_params_t;

/* Offset of the first input of output group `o` of kept_size[0] * [1] * [2]. */
NACRE_CODE
static inline size_t nacre_reduce_source(const nacre_reduce_params_t *p, int32_t o)
{
    const int32_t c = o % p->kept_size[2];
    const int32_t rest = o / p->kept_size[2];
    const int32_t b = rest % p->kept_size[1];
    const int32_t a = rest / p->kept_size[1];
    return (size_t)(a * p->kept_stride[0] + b * p->kept_stride[1] + c * p->kept_stride[2]);
}

/* Offset of run `r` of reduced_size[0] * [1]: inputs reduced_stride[2] apart. */
NACRE_CODE
static inline size_t nacre_reduce_run(const nacre_reduce_params_t *p, int32_t r)
{
    const int32_t b = r % p->reduced_size[1];
    const int32_t a = r / p->reduced_size[1];
    return (size_t)(a * p->reduced_stride[0] + b * p->reduced_stride[1]);
}

void nacre_reduce_sum_s8(const int8_t *input, int8_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_sum_u8(const uint8_t *input, uint8_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_sum_s16(const int16_t *input, int16_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_sum_s32(const int32_t *input, int32_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_sum_s64(const int64_t *input, int64_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_sum_f32(const float *input, float *output, const nacre_reduce_params_t *p);
void nacre_reduce_max_s8(const int8_t *input, int8_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_max_u8(const uint8_t *input, uint8_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_max_s16(const int16_t *input, int16_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_max_s32(const int32_t *input, int32_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_max_s64(const int64_t *input, int64_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_max_f32(const float *input, float *output, const nacre_reduce_params_t *p);
void nacre_reduce_min_s8(const int8_t *input, int8_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_min_u8(const uint8_t *input, uint8_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_min_s16(const int16_t *input, int16_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_min_s32(const int32_t *input, int32_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_min_s64(const int64_t *input, int64_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_min_f32(const float *input, float *output, const nacre_reduce_params_t *p);
void nacre_reduce_prod_s8(const int8_t *input, int8_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_prod_s16(const int16_t *input, int16_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_prod_s32(const int32_t *input, int32_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_prod_f32(const float *input, float *output, const nacre_reduce_params_t *p);
void nacre_reduce_any_bool(const uint8_t *input, uint8_t *output, const nacre_reduce_params_t *p);
void nacre_reduce_all_bool(const uint8_t *input, uint8_t *output, const nacre_reduce_params_t *p);

#endif
