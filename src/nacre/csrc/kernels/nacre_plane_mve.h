/* SPDX-License-Identifier: Apache-2.0 */
/* One channel of a 3x3 depthwise convolution of int8 with Helium.
 *
 * The channel is a plane of blocks, each a word: (0,0) (0,1) (1,0) (1,1). Four blocks in a square
 * are a patch of 4x4, and one gather:
 *
 *     +----+----+----+--         a patch makes 2x2 outputs with stride 1,
 *     |  0 |  1 |  2 |           one output with stride 2; the next patch
 *     +----+----+----+--         begins one block further
 *     | p0 |p0+1|p0+2|
 */
#ifndef NACRE_PLANE_MVE_H
#define NACRE_PLANE_MVE_H

#include "nacre_kernel.h"

/* `turns` make a row of outputs (two rows with stride 1), 8 outputs each. A block row has `pitch` =
 * 4 * (patches of all turns + 1) bytes. Outputs go to y plus eight offsets; y moves by turn_step
 * and row_step. masks[2][turns] says which are outputs, two bits each; the second list is for the
 * last row. The order of the outputs: first patch or half, second one, alternating.
 * constants: 9 weights, 3 zeros, words bias, multiplier, right shift <= 0, and for the general
 * form left shift and tie (1 where the right shift is not 0). index: where the 16 bytes of a patch
 * find their weights, for each of the outputs of a patch.
 * general 0: outputs are saturated; v is as if not below zero. general 1: clamped to [low, high].
 */
typedef struct {
    const int8_t *blocks;
    int32_t pitch;
    int32_t turns;
    int32_t rows;
    int8_t *y;
    int32_t turn_step;
    int32_t row_step;
    const int32_t *masks;
    const int8_t *constants;
    const uint8_t *index;
    uint16_t offsets[8];
    int32_t output_offset;
    int32_t low;
    int32_t high;
    int32_t general;
} nacre_plane_mve_t;

void nacre_plane_3x3_s8_mve(const nacre_plane_mve_t *plane);
void nacre_plane_3x3_stride2_s8_mve(const nacre_plane_mve_t *plane);

#endif
