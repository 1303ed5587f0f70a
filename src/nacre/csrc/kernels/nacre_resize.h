/* SPDX-License-Identifier: Apache-2.0 */
/* Images of another size.
 *
 * Nearest: y[oy][ox] = x[line[oy]][column[ox]], a copy of `pixel` bytes; positions holds
 * column[output_w], then line[output_h].
 *
 * Bilinear, s8 and s16: positions holds six tables, of output rows then of output columns:
 * lower, upper, fraction (1/1024 towards upper, -512 to 1024 or slightly beyond).
 *   y = (x[lower][lower] * (1024 - fy) * (1024 - fx) + x[upper][lower] * fy * (1024 - fx)
 *      + x[lower][upper] * (1024 - fy) * fx + x[upper][upper] * fy * fx) / 2^20,
 * ties away from zero. f32 and u8 (rounded, ties up) compute the same in floats: positions holds
 * lower and upper of rows, then of columns; fractions those of rows, then of columns, 1.0 a pixel.
 *
 * Output row oy is written after the input rows that it needs were read; rows go in order.
 * Input and output do not overlap. No scratch.
 */
#ifndef NACRE_RESIZE_H
#define NACRE_RESIZE_H

#include "nacre_kernel.h"

typedef struct {
    int32_t input_w;
    int32_t output_h;
    int32_t output_w;
    int32_t channels;
    int32_t input_ring;
    int32_t output_ring;
} nacre_resize_bilinear_params_t;

typedef struct {
    int32_t input_w;
    int32_t output_w;
    int32_t pixel;
    int32_t input_ring;
    int32_t output_ring;
} nacre_resize_nearest_params_t;

void nacre_resize_bilinear_s8(const int8_t *input, const int16_t *positions, int8_t *output,
                              const nacre_resize_bilinear_params_t *p, nacre_rows_t rows);
void nacre_resize_bilinear_s16(const int16_t *input, const int16_t *positions, int16_t *output,
                               const nacre_resize_bilinear_params_t *p, nacre_rows_t rows);
void nacre_resize_bilinear_u8(const uint8_t *input, const int16_t *positions,
                              const float *fractions, uint8_t *output,
                              const nacre_resize_bilinear_params_t *p, nacre_rows_t rows);
void nacre_resize_bilinear_f32(const float *input, const int16_t *positions,
                               const float *fractions, float *output,
                               const nacre_resize_bilinear_params_t *p, nacre_rows_t rows);
void nacre_resize_nearest(const uint8_t *input, const int16_t *positions, uint8_t *output,
                          const nacre_resize_nearest_params_t *p, nacre_rows_t rows);

#endif
