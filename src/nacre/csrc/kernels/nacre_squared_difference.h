/* SPDX-License-Identifier: Apache-2.0 */
/* Square of the difference of two tensors, with broadcasting (nacre_elementwise.h). */
#ifndef NACRE_SQUARED_DIFFERENCE_H
#define NACRE_SQUARED_DIFFERENCE_H

#include "nacre_elementwise.h"
#include "nacre_requant.h"

/* y = (a - b)^2; integers wrap. */
void nacre_squared_difference_f32(const float *first, const float *second, float *output,
                                  const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_squared_difference_s32(const int32_t *first, const int32_t *second, int32_t *output,
                                  const nacre_broadcast_t *shape, nacre_rows_t rows);

/* Quantized, with X = (x + offset) << left_shift scaled to twice the larger input scale:
 * y = clamp(requantize((requantize(A) - requantize(B))^2) + output_offset);
 * the offsets of the inputs are minus their zero points. */
typedef struct {
    int32_t left_shift;
    int32_t first_offset;
    int32_t first_multiplier;
    int32_t first_shift;
    int32_t second_offset;
    int32_t second_multiplier;
    int32_t second_shift;
    int32_t output_multiplier;
    int32_t output_shift;
    int32_t output_offset;
    int32_t low;
    int32_t high;
} nacre_squared_difference_params_t;

void nacre_squared_difference_s8(const int8_t *first, const int8_t *second, int8_t *output,
                                 const nacre_broadcast_t *shape,
                                 const nacre_squared_difference_params_t *p, nacre_rows_t rows);
void nacre_squared_difference_s16(const int16_t *first, const int16_t *second, int16_t *output,
                                  const nacre_broadcast_t *shape,
                                  const nacre_squared_difference_params_t *p, nacre_rows_t rows);

NACRE_CODE
static inline int32_t nacre_squared_difference_one(int32_t a, int32_t b,
                                                   const nacre_squared_difference_params_t *p)
{
    const int32_t unit = 1 << p->left_shift;
    const int32_t x =
        nacre_requantize((a + p->first_offset) * unit, p->first_multiplier, p->first_shift);
    const int32_t z =
        nacre_requantize((b + p->second_offset) * unit, p->second_multiplier, p->second_shift);
    const uint32_t difference = (uint32_t)(x - z);
    const int32_t scaled =
        nacre_requantize((int32_t)(difference * difference), p->output_multiplier, p->output_shift);
    return nacre_clamp_offset(scaled, p->output_offset, p->low, p->high);
}

#endif
