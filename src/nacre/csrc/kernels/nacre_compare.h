/* SPDX-License-Identifier: Apache-2.0 */
/* Comparisons of two values, with broadcasting (nacre_elementwise.h).
 *
 * y = 1 where the relation is among `relations`, else 0.
 */
#ifndef NACRE_COMPARE_H
#define NACRE_COMPARE_H

#include "nacre_elementwise.h"
#include "nacre_requant.h"

/* The bits of `relations`. Floats that are not numbers are unordered. */
enum {
    NACRE_LESS = 1,
    NACRE_EQUAL = 2,
    NACRE_GREATER = 4,
    NACRE_UNORDERED = 8
};

/* Quantized: values are compared after requantize((x + offset) << 8), offset = -zero_point. */
typedef struct {
    int32_t first_offset;
    int32_t first_multiplier;
    int32_t first_shift;
    int32_t second_offset;
    int32_t second_multiplier;
    int32_t second_shift;
} nacre_compare_params_t;

void nacre_compare_f32(const float *first, const float *second, uint8_t *output,
                       const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows);
void nacre_compare_s8(const int8_t *first, const int8_t *second, uint8_t *output,
                      const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows);
void nacre_compare_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                      const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows);
void nacre_compare_s16(const int16_t *first, const int16_t *second, uint8_t *output,
                       const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows);
void nacre_compare_s32(const int32_t *first, const int32_t *second, uint8_t *output,
                       const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows);
void nacre_compare_s64(const int64_t *first, const int64_t *second, uint8_t *output,
                       const nacre_broadcast_t *shape, int32_t relations, nacre_rows_t rows);

void nacre_compare_scaled_s8(const int8_t *first, const int8_t *second, uint8_t *output,
                             const nacre_broadcast_t *shape, const nacre_compare_params_t *p,
                             int32_t relations, nacre_rows_t rows);
void nacre_compare_scaled_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                             const nacre_broadcast_t *shape, const nacre_compare_params_t *p,
                             int32_t relations, nacre_rows_t rows);
void nacre_compare_scaled_s16(const int16_t *first, const int16_t *second, uint8_t *output,
                              const nacre_broadcast_t *shape, const nacre_compare_params_t *p,
                              int32_t relations, nacre_rows_t rows);

NACRE_CODE
static inline int32_t nacre_relation(int32_t a, int32_t b)
{
    return a < b ? NACRE_LESS : a > b ? NACRE_GREATER : NACRE_EQUAL;
}

NACRE_CODE
static inline int32_t nacre_relation_f32(float a, float b)
{
    return a < b ? NACRE_LESS : a > b ? NACRE_GREATER : a == b ? NACRE_EQUAL : NACRE_UNORDERED;
}

NACRE_CODE
static inline int32_t nacre_relation_scaled(int32_t a, int32_t b, const nacre_compare_params_t *p)
{
    const int32_t x = (a + p->first_offset) * 256;
    const int32_t z = (b + p->second_offset) * 256;
    return nacre_relation(nacre_requantize(x, p->first_multiplier, p->first_shift),
                          nacre_requantize(z, p->second_multiplier, p->second_shift));
}

#endif
