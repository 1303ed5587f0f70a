/* SPDX-License-Identifier: Apache-2.0 */
/* Sum and difference of two tensors, with broadcasting (nacre_elementwise.h).
 *
 * Quantized, with X = a - zero_point(a) and so on, all scaled to twice the larger input scale:
 *   scaled(X) = requantize(X << left_shift, multiplier, shift)
 *   y = clamp(requantize(scaled(A) +- scaled(B), multiplier, shift) + zero_point(y))
 */
#ifndef NACRE_ADD_H
#define NACRE_ADD_H

#include "nacre_elementwise.h"
#include "nacre_range.h"
#include "nacre_requant.h"

/* The input of larger scale comes first: its multiplier is one half, so scaled(A) is exact,
 *   scaled(A) = (a + first_offset) * first_unit;  first_unit = +-2^(left_shift - 1)
 * second_left = left_shift + 1 - second_shift, 0 <= second_left, and shifts are to the right:
 *   scaled(B) = round(B * second_multiplier * 2^(second_left - 32)), rounded twice
 * 1 <= output_shift <= 22. */
typedef struct {
    int32_t first_offset;
    int32_t first_unit;
    int32_t second_offset;
    int32_t second_multiplier;
    int32_t second_left;
    int32_t second_shift;
    int32_t output_multiplier;
    int32_t output_shift;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
} nacre_add_params_t;

/* Any scales: offsets are minus the zero points, second_sign is 1 (sum) or -1 (difference). */
typedef struct {
    int32_t left_shift;
    int32_t first_offset;
    int32_t first_multiplier;
    int32_t first_shift;
    int32_t second_offset;
    int32_t second_multiplier;
    int32_t second_shift;
    int32_t second_sign;
    int32_t output_multiplier;
    int32_t output_shift;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
} nacre_add_general_params_t;

/* y = clamp(saturate(a / 2^first_shift +- b / 2^second_shift)), ties away from zero. */
typedef struct {
    int32_t first_shift;
    int32_t second_shift;
    int32_t second_sign;
    int32_t activation_min;
    int32_t activation_max;
} nacre_add_pot_params_t;

void nacre_add_s8(const int8_t *first, const int8_t *second, int8_t *output,
                  const nacre_broadcast_t *shape, const nacre_add_params_t *p, nacre_rows_t rows);
void nacre_add_s8_mve(const int8_t *first, const int8_t *second, int8_t *output,
                      const nacre_broadcast_t *shape, const nacre_add_params_t *p,
                      nacre_rows_t rows);
void nacre_add_s16(const int16_t *first, const int16_t *second, int16_t *output,
                   const nacre_broadcast_t *shape, const nacre_add_params_t *p, nacre_rows_t rows);

void nacre_add_general_s8(const int8_t *first, const int8_t *second, int8_t *output,
                          const nacre_broadcast_t *shape, const nacre_add_general_params_t *p,
                          nacre_rows_t rows);
void nacre_add_general_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                          const nacre_broadcast_t *shape, const nacre_add_general_params_t *p,
                          nacre_rows_t rows);
void nacre_add_general_s16(const int16_t *first, const int16_t *second, int16_t *output,
                           const nacre_broadcast_t *shape, const nacre_add_general_params_t *p,
                           nacre_rows_t rows);
void nacre_add_pot_s16(const int16_t *first, const int16_t *second, int16_t *output,
                       const nacre_broadcast_t *shape, const nacre_add_pot_params_t *p,
                       nacre_rows_t rows);

/* y = clamp(a + b), y = clamp(a - b); integers wrap before they are clamped. */
void nacre_add_f32(const float *first, const float *second, float *output,
                   const nacre_broadcast_t *shape, const nacre_range_f32_t *p, nacre_rows_t rows);
void nacre_add_s32(const int32_t *first, const int32_t *second, int32_t *output,
                   const nacre_broadcast_t *shape, const nacre_range_s32_t *p, nacre_rows_t rows);
void nacre_add_s64(const int64_t *first, const int64_t *second, int64_t *output,
                   const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_sub_f32(const float *first, const float *second, float *output,
                   const nacre_broadcast_t *shape, const nacre_range_f32_t *p, nacre_rows_t rows);
void nacre_sub_s32(const int32_t *first, const int32_t *second, int32_t *output,
                   const nacre_broadcast_t *shape, const nacre_range_s32_t *p, nacre_rows_t rows);
void nacre_sub_s64(const int64_t *first, const int64_t *second, int64_t *output,
                   const nacre_broadcast_t *shape, nacre_rows_t rows);

/* What the elements of one call have in common. */
typedef struct {
    int32_t unit;
    int64_t factor;       /* second_multiplier * 2^second_left */
    int64_t constant;     /* factor * second_offset: factor * b + constant is B's product */
    int64_t above, below; /* rounding of B's product and the first input's offset */
    int64_t half;         /* rounding of the sum's product and the output's offset */
    int32_t multiplier;
    int32_t shift;
    int32_t low;
    int32_t high;
} nacre_add_t;

/* 2^n. */
NACRE_CODE
static inline int64_t nacre_power_of_two(int32_t n) { return (int64_t)(UINT64_C(1) << n); }

NACRE_CODE
static inline nacre_add_t nacre_add_setup(const nacre_add_params_t *p)
{
    const int64_t spread = p->second_shift == 0 ? 0 : nacre_power_of_two(31 - p->second_shift);
    const int64_t offset = (int64_t)p->first_offset * p->first_unit * nacre_power_of_two(32);
    const int64_t factor = p->second_multiplier * nacre_power_of_two(p->second_left);
    const nacre_add_t add = {
        p->first_unit,
        factor,
        factor * p->second_offset,
        offset + nacre_power_of_two(31) + spread,
        offset + nacre_power_of_two(31) - spread,
        nacre_power_of_two(30) + nacre_power_of_two(30 + p->output_shift) +
            p->output_offset * nacre_power_of_two(31 + p->output_shift),
        p->output_multiplier,
        p->output_shift,
        p->activation_min,
        p->activation_max};
    return add;
}

/* Both roundings of a product are one addition: ties go up, then, after the shift, away from
 * zero, which a smaller addend gives where the product is negative. */
NACRE_CODE
static inline int32_t nacre_add_one(int32_t a, int32_t b, const nacre_add_t *k)
{
    const int64_t product = b * k->factor + k->constant;
    const int32_t scaled = (int32_t)((product + (product < 0 ? k->below : k->above)) >> 32);
    const int64_t sum = (int64_t)(a * k->unit + scaled) * k->multiplier;
    const int32_t rounded = (int32_t)((sum + k->half) >> 31) + (int32_t)(sum >> 63);
    return nacre_clamp(rounded >> k->shift, k->low, k->high);
}

NACRE_CODE
static inline int32_t nacre_add_general(int32_t a, int32_t b, const nacre_add_general_params_t *p)
{
    const int32_t first = (int32_t)((uint32_t)(a + p->first_offset) << p->left_shift);
    const int32_t second = (int32_t)((uint32_t)(b + p->second_offset) << p->left_shift);
    const int32_t x = nacre_requantize(first, p->first_multiplier, p->first_shift);
    const int32_t z = nacre_requantize(second, p->second_multiplier, p->second_shift);
    const int32_t sum = nacre_add_wrapping(x, (int32_t)((uint32_t)z * (uint32_t)p->second_sign));
    return nacre_clamp_offset(nacre_requantize(sum, p->output_multiplier, p->output_shift),
                              p->output_offset, p->activation_min, p->activation_max);
}

#endif
