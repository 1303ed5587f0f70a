/* SPDX-License-Identifier: Apache-2.0 */
/* Four pixels by blocks of 32 output channels of an int8 matrix product, with Helium. */
#ifndef NACRE_TILE_MVE_H
#define NACRE_TILE_MVE_H

#include "nacre_kernel.h"

/* y[p][c] = clamp(requantize(bias[c] + sum x[p][k] * w[c][k]) + output_offset)
 *
 * x[p] points to 16 * steps readable bytes; weights are zero where a pixel has fewer.
 * `stream` holds the channels of the block two by two, the last pair first: 8 words of bias (four
 * times that of the first channel, four times that of the second), then for every step (the last
 * one first for the short tile) 16 weights of the first and 16 of the second channel.
 * `requant` holds for each four channels
 *   general 0: 4 multipliers, 4 shifts <= 0. Output: clamp(v - 128), v as if not below zero.
 *   general 1: 4 left shifts, 4 multipliers, 4 ties (1 where the right shift is not 0), 4 right
 *              shifts as numbers <= 0. Output: clamp(v + output_offset, low, high).
 * y[p] is word-aligned; all of the four channels of a group are written. `pairs` of channels, at
 * most 16 and even, are followed by `more`, block by block; stream and requant go on. y is used up.
 * `tiles` follow each other: x moves by x_step, y by y_step beyond the channels written, stream and
 * requant begin again at weights and scales, with `all` pairs. */
typedef struct {
    const int8_t *x[4];
    const int8_t *stream;
    int32_t pairs;
    int32_t steps;
    const int32_t *requant;
    int8_t *y[4];
    int32_t general;
    int32_t output_offset;
    int32_t low;
    int32_t high;
    int32_t tiles;
    int32_t x_step;
    int32_t y_step;
    const int8_t *weights;
    const int32_t *scales;
    int32_t all;
    int32_t more;
} nacre_tile_mve_t;

enum { NACRE_TILE_PIXELS = 4, NACRE_TILE_CHANNELS = 32, NACRE_TILE_STEP = 16 };

/* At most 8 steps. */
void nacre_tile_short_s8_mve(nacre_tile_mve_t *tile);

/* Any number of steps. */
void nacre_tile_long_s8_mve(nacre_tile_mve_t *tile);

/* A 3x3 kernel with stride 1 and as many input channels as the name says: x[0] to x[2] are the
 * word-aligned rows that the four pixels read from. The weights of a pair are [row][16 channels]
 * [column][2][16]. */
void nacre_tile_3x3_c16_s8_mve(nacre_tile_mve_t *tile);
void nacre_tile_3x3_c32_s8_mve(nacre_tile_mve_t *tile);
void nacre_tile_3x3_c64_s8_mve(nacre_tile_mve_t *tile);

#endif
