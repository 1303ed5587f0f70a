/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of two values that are not rescaled, with broadcasting (nacre_elementwise.h). */
#ifndef NACRE_BINARY_H
#define NACRE_BINARY_H

#include "nacre_elementwise.h"

/* y = a < b ? a : b, y = a > b ? a : b. */
void nacre_minimum_f32(const float *first, const float *second, float *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_minimum_s8(const int8_t *first, const int8_t *second, int8_t *output,
                      const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_minimum_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                      const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_minimum_s16(const int16_t *first, const int16_t *second, int16_t *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_minimum_s32(const int32_t *first, const int32_t *second, int32_t *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_minimum_s64(const int64_t *first, const int64_t *second, int64_t *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_maximum_f32(const float *first, const float *second, float *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_maximum_s8(const int8_t *first, const int8_t *second, int8_t *output,
                      const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_maximum_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                      const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_maximum_s16(const int16_t *first, const int16_t *second, int16_t *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_maximum_s32(const int32_t *first, const int32_t *second, int32_t *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_maximum_s64(const int64_t *first, const int64_t *second, int64_t *output,
                       const nacre_broadcast_t *shape, nacre_rows_t rows);

/* y = floor(a / b); integers: 0 where b is 0. */
void nacre_floor_div_f32(const float *first, const float *second, float *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_floor_div_s8(const int8_t *first, const int8_t *second, int8_t *output,
                        const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_floor_div_s16(const int16_t *first, const int16_t *second, int16_t *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_floor_div_s32(const int32_t *first, const int32_t *second, int32_t *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows);

/* y = a - b * floor(a / b): it has the sign of b; integers: 0 where b is 0. */
void nacre_floor_mod_f32(const float *first, const float *second, float *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_floor_mod_s8(const int8_t *first, const int8_t *second, int8_t *output,
                        const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_floor_mod_s16(const int16_t *first, const int16_t *second, int16_t *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_floor_mod_s32(const int32_t *first, const int32_t *second, int32_t *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_floor_mod_s64(const int64_t *first, const int64_t *second, int64_t *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows);

/* y = a^b; integers wrap, and give 0 for b < 0 unless a is 1 or -1. */
void nacre_pow_f32(const float *first, const float *second, float *output,
                   const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_pow_s32(const int32_t *first, const int32_t *second, int32_t *output,
                   const nacre_broadcast_t *shape, nacre_rows_t rows);

/* Truth values are 0 or 1. */
void nacre_logical_and_bool(const uint8_t *first, const uint8_t *second, uint8_t *output,
                            const nacre_broadcast_t *shape, nacre_rows_t rows);
void nacre_logical_or_bool(const uint8_t *first, const uint8_t *second, uint8_t *output,
                           const nacre_broadcast_t *shape, nacre_rows_t rows);

NACRE_CODE
static inline int32_t nacre_floor_div(int32_t a, int32_t b)
{
    if (b == 0) {
        return 0;
    }
    if (b == -1) {
        return (int32_t)(0u - (uint32_t)a);
    }
    return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}

NACRE_CODE
static inline int32_t nacre_floor_mod(int32_t a, int32_t b)
{
    if (b == 0 || b == -1) {
        return 0;
    }
    const int32_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

#endif
