/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of a depthwise convolution of int8 with Helium.
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

/* `channels` planes, plane_size bytes apart, make outputs that are 1 byte apart. `turns` make a row
 * of outputs (two rows with stride 1), 8 outputs each. A block row has `pitch` = 4 * (patches of
 * all turns + 1) bytes. Outputs go to y plus eight offsets; y moves by turn_step and row_step.
 * masks[rows][turns] says which of the eight are outputs, two bits each. Their order: first patch
 * or half, second one, alternating.
 * constants, `record` bytes a channel: 9 weights, 3 zeros, words bias, multiplier, right shift
 * <= 0, and for the general form left shift and tie (1 where the right shift is not 0). index:
 * where the 16 bytes of a patch find their weights, for each of the outputs of a patch.
 * general 0: outputs are saturated; v is as if not below zero. 1: clamped to [low, high]. 2:
 * saturated, and left shifts are 0.
 * blocks, y, constants and channels are used up.
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
    int32_t channels;
    int32_t plane_size;
    int32_t record;
} nacre_plane_mve_t;

void nacre_plane_3x3_s8_mve(nacre_plane_mve_t *plane);
void nacre_plane_3x3_stride2_s8_mve(nacre_plane_mve_t *plane);

/* A kernel of one row and up to 13 columns, stride 1: a plane is `rows` word-aligned lines of
 * 8 * turns + 16 bytes, and constants begin with 4 zeros and 16 weights instead of 12 bytes, the
 * first 8 of which `record` does not count; no index. */
void nacre_plane_line_s8_mve(nacre_plane_mve_t *plane);

#endif
