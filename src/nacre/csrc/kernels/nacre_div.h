/* SPDX-License-Identifier: Apache-2.0 */
/* Quotient of two tensors, with broadcasting (nacre_elementwise.h). */
#ifndef NACRE_DIV_H
#define NACRE_DIV_H

#include "nacre_elementwise.h"
#include "nacre_range.h"
#include "nacre_requant.h"

/* y = clamp(a / b); integers go towards zero, and give 0 where b is 0. */
void nacre_div_f32(const float *first, const float *second, float *output,
                   const nacre_broadcast_t *shape, const nacre_range_f32_t *p, nacre_rows_t rows);
void nacre_div_s32(const int32_t *first, const int32_t *second, int32_t *output,
                   const nacre_broadcast_t *shape, const nacre_range_s32_t *p, nacre_rows_t rows);
void nacre_div_s64(const int64_t *first, const int64_t *second, int64_t *output,
                   const nacre_broadcast_t *shape, nacre_rows_t rows);

/* Quantized, with A = a + first_offset, B = b + second_offset (minus the zero points):
 * y = clamp(round(A / B * multiplier) + output_offset), 1 / B to 31 bits by Newton's iteration,
 * rounded at each step. B = 0 counts as the smallest step above 0. */
typedef struct {
    int32_t first_offset;
    int32_t second_offset;
    int32_t output_multiplier;
    int32_t output_shift;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
} nacre_div_params_t;

void nacre_div_s8(const int8_t *first, const int8_t *second, int8_t *output,
                  const nacre_broadcast_t *shape, const nacre_div_params_t *p, nacre_rows_t rows);
void nacre_div_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                  const nacre_broadcast_t *shape, const nacre_div_params_t *p, nacre_rows_t rows);
void nacre_div_s16(const int16_t *first, const int16_t *second, int16_t *output,
                   const nacre_broadcast_t *shape, const nacre_div_params_t *p, nacre_rows_t rows);

/* Bits above the highest one of x > 0. */
NACRE_CODE
static inline int32_t nacre_leading_zeros(uint32_t x)
{
    int32_t count = 0;
    for (; x < UINT32_C(0x80000000); x <<= 1) {
        ++count;
    }
    return count;
}

/* 2^(30 + bits of x) / x with 31 bits, for x > 0. */
NACRE_CODE
static inline int32_t nacre_reciprocal(int32_t x, int32_t leading)
{
    /* half = mantissa / 2 in Q0.31; r approaches 1 / half in Q2.29. */
    const int32_t half = (int32_t)(((uint32_t)x << leading) >> 1);
    int32_t r = 1515870810 + nacre_high_mul(-1010580540, half);
    for (int32_t i = 0; i < 3; ++i) {
        const int32_t error = (1 << 29) - nacre_high_mul(r, half);
        r += nacre_high_mul(error, r) * 4;
    }
    return r > 0x3FFFFFFF ? INT32_MAX : r * 2;
}

NACRE_CODE
static inline int32_t nacre_div_one(int32_t a, int32_t b, const nacre_div_params_t *p)
{
    const int32_t divisor = b + p->second_offset;
    const int32_t sign = divisor < 0 ? -1 : 1;
    const int32_t x = (a + p->first_offset) * sign;
    const int32_t magnitude = nacre_max(divisor * sign, 1);
    const int32_t leading = nacre_leading_zeros((uint32_t)magnitude);
    /* x fills the word, so that the product keeps all bits. */
    const int32_t bits = x < 0 ? ~x : x;
    const int32_t room = bits == 0 ? 31 : nacre_leading_zeros((uint32_t)bits) - 1;
    const int32_t quotient =
        nacre_high_mul((int32_t)((uint32_t)x << room), nacre_reciprocal(magnitude, leading));
    const int32_t right = 31 - leading + room - p->output_shift;
    const int32_t scaled = nacre_high_mul(quotient, p->output_multiplier);
    const int32_t result = right > 31 ? 0 : nacre_rounding_shift(scaled, right);
    return nacre_clamp_offset(result, p->output_offset, p->activation_min, p->activation_max);
}

#endif
