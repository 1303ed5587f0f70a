/* SPDX-License-Identifier: Apache-2.0 */
/* Activations that cut or bend a line. Tensors are walked as nacre_elementwise.h says. */
#ifndef NACRE_RELU_H
#define NACRE_RELU_H

#include "nacre_elementwise.h"
#include "nacre_range.h"
#include "nacre_scale.h"

/* y = clamp(x): input and output share scale and zero point. */
void nacre_clamp_s8(const int8_t *input, int8_t *output, const nacre_each_t *shape,
                    const nacre_range_s32_t *p, nacre_rows_t rows);
void nacre_clamp_u8(const uint8_t *input, uint8_t *output, const nacre_each_t *shape,
                    const nacre_range_s32_t *p, nacre_rows_t rows);
void nacre_clamp_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                     const nacre_range_s32_t *p, nacre_rows_t rows);
void nacre_relu_f32(const float *input, float *output, const nacre_each_t *shape,
                    const nacre_range_f32_t *p, nacre_rows_t rows);

/* y = x where x > 0, else alpha * x. */
void nacre_leaky_relu_f32(const float *input, float *output, const nacre_each_t *shape, float alpha,
                          nacre_rows_t rows);

/* With X = x + input_offset, input_offset = -zero_point(x):
 * y = saturate(requantize(X) + output_offset), by the multiplier of X's sign. */
typedef struct {
    int32_t input_offset;
    int32_t positive_multiplier;
    int32_t positive_shift;
    int32_t negative_multiplier;
    int32_t negative_shift;
    int32_t output_offset;
} nacre_leaky_relu_params_t;

void nacre_leaky_relu_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                          const nacre_leaky_relu_params_t *p, nacre_rows_t rows);

/* first is x, second is alpha, broadcast: y = x where x >= 0, else alpha * x. */
void nacre_prelu_f32(const float *first, const float *second, float *output,
                     const nacre_broadcast_t *shape, nacre_rows_t rows);

/* With X = x + input_offset and A = alpha + alpha_offset (minus the zero points):
 * y = saturate(requantize(X >= 0 ? X : X * A) + output_offset), a multiplier for each. */
typedef struct {
    int32_t input_offset;
    int32_t alpha_offset;
    int32_t positive_multiplier;
    int32_t positive_shift;
    int32_t negative_multiplier;
    int32_t negative_shift;
    int32_t output_offset;
    int32_t low;
    int32_t high;
} nacre_prelu_params_t;

void nacre_prelu_s8(const int8_t *first, const int8_t *second, int8_t *output,
                    const nacre_broadcast_t *shape, const nacre_prelu_params_t *p,
                    nacre_rows_t rows);
void nacre_prelu_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                    const nacre_broadcast_t *shape, const nacre_prelu_params_t *p,
                    nacre_rows_t rows);

/* The multipliers of both signs. */
typedef struct {
    nacre_scale_t positive;
    nacre_scale_t negative;
} nacre_prelu_scales_t;

NACRE_CODE
static inline nacre_prelu_scales_t nacre_prelu_setup(const nacre_prelu_params_t *p)
{
    const nacre_prelu_scales_t scales = {
        nacre_scale_setup(p->positive_multiplier, p->positive_shift),
        nacre_scale_setup(p->negative_multiplier, p->negative_shift)};
    return scales;
}

NACRE_CODE
static inline int32_t nacre_prelu_one(int32_t a, int32_t b, const nacre_prelu_params_t *p,
                                      const nacre_prelu_scales_t *scales)
{
    const int32_t x = a + p->input_offset;
    const int32_t scaled = x >= 0 ? nacre_scale(x, &scales->positive)
                                  : nacre_scale(x * (b + p->alpha_offset), &scales->negative);
    return nacre_clamp_offset(scaled, p->output_offset, p->low, p->high);
}

/* y = x * min(max(x + 3, 0), 6) / 6. */
void nacre_hard_swish_f32(const float *input, float *output, const nacre_each_t *shape,
                          nacre_rows_t rows);
/* y = x where x >= 0, else exp(x) - 1. */
void nacre_elu_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows);
/* y = x * (1 + erf(x / sqrt 2)) / 2. */
void nacre_gelu_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows);
/* y = x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x^3))) / 2. */
void nacre_gelu_tanh_f32(const float *input, float *output, const nacre_each_t *shape,
                         nacre_rows_t rows);

#endif
