/* SPDX-License-Identifier: Apache-2.0 */
/* Product of two tensors, with broadcasting (nacre_elementwise.h).
 *
 * Quantized: y = clamp(requantize((a + first_offset) * (b + second_offset)) + output_offset);
 * the offsets of the inputs are minus their zero points, the output's is its zero point.
 */
#ifndef NACRE_MUL_H
#define NACRE_MUL_H

#include "nacre_elementwise.h"
#include "nacre_range.h"
#include "nacre_scale.h"

typedef struct {
    int32_t first_offset;
    int32_t second_offset;
    int32_t output_multiplier;
    int32_t output_shift;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
} nacre_mul_params_t;

void nacre_mul_s8(const int8_t *first, const int8_t *second, int8_t *output,
                  const nacre_broadcast_t *shape, const nacre_mul_params_t *p, nacre_rows_t rows);
void nacre_mul_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                  const nacre_broadcast_t *shape, const nacre_mul_params_t *p, nacre_rows_t rows);
void nacre_mul_s16(const int16_t *first, const int16_t *second, int16_t *output,
                   const nacre_broadcast_t *shape, const nacre_mul_params_t *p, nacre_rows_t rows);

/* y = clamp(a * b); integers wrap before they are clamped. */
void nacre_mul_f32(const float *first, const float *second, float *output,
                   const nacre_broadcast_t *shape, const nacre_range_f32_t *p, nacre_rows_t rows);
void nacre_mul_s32(const int32_t *first, const int32_t *second, int32_t *output,
                   const nacre_broadcast_t *shape, const nacre_range_s32_t *p, nacre_rows_t rows);
void nacre_mul_s64(const int64_t *first, const int64_t *second, int64_t *output,
                   const nacre_broadcast_t *shape, nacre_rows_t rows);

NACRE_CODE
static inline int32_t nacre_mul_one(int32_t a, int32_t b, const nacre_mul_params_t *p,
                                    const nacre_scale_t *scale)
{
    const uint32_t product = (uint32_t)(a + p->first_offset) * (uint32_t)(b + p->second_offset);
    return nacre_clamp_offset(nacre_scale((int32_t)product, scale), p->output_offset,
                              p->activation_min, p->activation_max);
}

#endif
