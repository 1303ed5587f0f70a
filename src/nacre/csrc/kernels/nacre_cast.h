/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of element types. Tensors are walked as nacre_elementwise.h says.
 *
 * Integer to integer: the low bits (signs extend by the input's type). To bool: x != 0.
 * float32 to integer: towards zero, saturated; not a number becomes 0.
 * float16 travels as its bits in uint16_t.
 */
#ifndef NACRE_CAST_H
#define NACRE_CAST_H

#include "nacre_elementwise.h"

void nacre_cast_s8_s16(const int8_t *input, int16_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_s8_s32(const int8_t *input, int32_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_s8_s64(const int8_t *input, int64_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_u8_s16(const uint8_t *input, int16_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_u8_s32(const uint8_t *input, int32_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_u8_s64(const uint8_t *input, int64_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_s16_s8(const int16_t *input, int8_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_s16_s32(const int16_t *input, int32_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_s16_s64(const int16_t *input, int64_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_s32_s8(const int32_t *input, int8_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_s32_s16(const int32_t *input, int16_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_s32_s64(const int32_t *input, int64_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_u32_s64(const uint32_t *input, int64_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_s64_s8(const int64_t *input, int8_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_s64_s16(const int64_t *input, int16_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_s64_s32(const int64_t *input, int32_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_s8_bool(const int8_t *input, uint8_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_s16_bool(const int16_t *input, uint8_t *output, const nacre_each_t *shape,
                         nacre_rows_t rows);
void nacre_cast_s32_bool(const int32_t *input, uint8_t *output, const nacre_each_t *shape,
                         nacre_rows_t rows);
void nacre_cast_s64_bool(const int64_t *input, uint8_t *output, const nacre_each_t *shape,
                         nacre_rows_t rows);
void nacre_cast_f32_bool(const float *input, uint8_t *output, const nacre_each_t *shape,
                         nacre_rows_t rows);
void nacre_cast_s8_f32(const int8_t *input, float *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_u8_f32(const uint8_t *input, float *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_s16_f32(const int16_t *input, float *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_s32_f32(const int32_t *input, float *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_u32_f32(const uint32_t *input, float *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_s64_f32(const int64_t *input, float *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_f32_s8(const float *input, int8_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_f32_u8(const float *input, uint8_t *output, const nacre_each_t *shape,
                       nacre_rows_t rows);
void nacre_cast_f32_s16(const float *input, int16_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_f32_s32(const float *input, int32_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_f32_u32(const float *input, uint32_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_f32_s64(const float *input, int64_t *output, const nacre_each_t *shape,
                        nacre_rows_t rows);
void nacre_cast_f16_f32(const uint16_t *input, float *output, const nacre_each_t *shape,
                        nacre_rows_t rows);

/* x towards zero inside [low, high], limits that float32 holds exactly. */
NACRE_CODE
static inline int32_t nacre_truncate(float x, int32_t low, int32_t high)
{
    if (x >= (float)high) {
        return high;
    }
    return x >= (float)low ? (int32_t)x : x < 0.0f ? low : 0;
}

/* The value of a float16. */
NACRE_CODE
static inline float nacre_half(uint16_t bits)
{
    const uint32_t sign = (uint32_t)(bits & 0x8000u) << 16;
    const uint32_t exponent = (bits >> 10) & 31u;
    const uint32_t fraction = bits & 1023u;
    union {
        uint32_t bits;
        float value;
    } wide;
    if (exponent == 0) {
        const float tiny = (float)fraction * 5.9604645e-8f; /* 2^-24 */
        return sign != 0 ? -tiny : tiny;
    }
    wide.bits = sign | ((exponent == 31 ? 255u : exponent + 112u) << 23) | (fraction << 13);
    return wide.value;
}

#endif
