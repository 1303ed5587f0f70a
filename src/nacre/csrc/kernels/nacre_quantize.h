/* SPDX-License-Identifier: Apache-2.0 */
/* Between real numbers and quantized ones, and from one quantization to another.
 * Tensors are walked as nacre_elementwise.h says.
 */
#ifndef NACRE_QUANTIZE_H
#define NACRE_QUANTIZE_H

#include "nacre_elementwise.h"
#include "nacre_requant.h"
#include "nacre_scale.h"

/* q = clamp(round(x / scale) + zero_point), ties away from zero or to even; not a number becomes
 * `low`. */
typedef struct {
    float scale;
    int32_t zero_point;
    int32_t low;
    int32_t high;
    int32_t to_even;
} nacre_quantize_params_t;

void nacre_quantize_f32_s8(const float *input, int8_t *output, const nacre_each_t *shape,
                           const nacre_quantize_params_t *p, nacre_rows_t rows);
void nacre_quantize_f32_u8(const float *input, uint8_t *output, const nacre_each_t *shape,
                           const nacre_quantize_params_t *p, nacre_rows_t rows);
void nacre_quantize_f32_s16(const float *input, int16_t *output, const nacre_each_t *shape,
                            const nacre_quantize_params_t *p, nacre_rows_t rows);

/* y = scale * (q - zero_point). */
typedef struct {
    float scale;
    int32_t zero_point;
} nacre_dequantize_params_t;

void nacre_dequantize_s8_f32(const int8_t *input, float *output, const nacre_each_t *shape,
                             const nacre_dequantize_params_t *p, nacre_rows_t rows);
void nacre_dequantize_u8_f32(const uint8_t *input, float *output, const nacre_each_t *shape,
                             const nacre_dequantize_params_t *p, nacre_rows_t rows);
void nacre_dequantize_s16_f32(const int16_t *input, float *output, const nacre_each_t *shape,
                              const nacre_dequantize_params_t *p, nacre_rows_t rows);

/* y = clamp(requantize(x + input_offset) + output_offset);
 * input_offset = -zero_point(x), output_offset = zero_point(y). */
typedef struct {
    int32_t input_offset;
    int32_t multiplier;
    int32_t shift;
    int32_t output_offset;
    int32_t low;
    int32_t high;
} nacre_requantize_params_t;

void nacre_requantize_s8_s8(const int8_t *input, int8_t *output, const nacre_each_t *shape,
                            const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_s8_u8(const int8_t *input, uint8_t *output, const nacre_each_t *shape,
                            const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_s8_s16(const int8_t *input, int16_t *output, const nacre_each_t *shape,
                             const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_s8_s32(const int8_t *input, int32_t *output, const nacre_each_t *shape,
                             const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_u8_s8(const uint8_t *input, int8_t *output, const nacre_each_t *shape,
                            const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_u8_u8(const uint8_t *input, uint8_t *output, const nacre_each_t *shape,
                            const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_u8_s16(const uint8_t *input, int16_t *output, const nacre_each_t *shape,
                             const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_s16_s8(const int16_t *input, int8_t *output, const nacre_each_t *shape,
                             const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_s16_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                              const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_s16_s32(const int16_t *input, int32_t *output, const nacre_each_t *shape,
                              const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_s32_s8(const int32_t *input, int8_t *output, const nacre_each_t *shape,
                             const nacre_requantize_params_t *p, nacre_rows_t rows);
void nacre_requantize_s32_s16(const int32_t *input, int16_t *output, const nacre_each_t *shape,
                              const nacre_requantize_params_t *p, nacre_rows_t rows);

/* The same of |x + input_offset|. */
void nacre_abs_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                   const nacre_requantize_params_t *p, nacre_rows_t rows);

NACRE_CODE
static inline int32_t nacre_quantize_one(float x, const nacre_quantize_params_t *p)
{
    const float low = (float)(p->low - p->zero_point);
    const float high = (float)(p->high - p->zero_point);
    const float scaled = x / p->scale;
    const float inside = scaled > low ? (scaled < high ? scaled : high) : low;
    const int32_t whole = (int32_t)inside;
    const float rest = inside - (float)whole;
    /* A tie stays where it is already even. */
    const int32_t stays = p->to_even & ~whole & 1;
    const int32_t up = rest > 0.5f || (rest == 0.5f && stays == 0);
    const int32_t down = rest < -0.5f || (rest == -0.5f && stays == 0);
    return whole + up - down + p->zero_point;
}

/* For inputs of up to 16 bits. */
NACRE_CODE
static inline int32_t nacre_requantize_one(int32_t x, const nacre_requantize_params_t *p,
                                           const nacre_scale_t *scale)
{
    const int32_t scaled = nacre_scale(x + p->input_offset, scale);
    return nacre_clamp(scaled + p->output_offset, p->low, p->high);
}

/* For inputs of 32 bits; additions wrap. */
NACRE_CODE
static inline int32_t nacre_requantize_wide_one(int32_t x, const nacre_requantize_params_t *p)
{
    const int32_t centred = (int32_t)((uint32_t)x + (uint32_t)p->input_offset);
    const int32_t scaled = nacre_requantize(centred, p->multiplier, p->shift);
    return nacre_clamp(scaled + p->output_offset, p->low, p->high);
}

#endif
