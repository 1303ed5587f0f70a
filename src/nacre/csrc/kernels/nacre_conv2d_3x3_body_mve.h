/* SPDX-License-Identifier: Apache-2.0 */
/* The 3x3 convolution with stride 1 with Helium: tiles read padded copies of the input's rows.
 *
 * The including file defines run_tile.
 */
#ifndef NACRE_CONV2D_3X3_BODY_MVE_H
#define NACRE_CONV2D_3X3_BODY_MVE_H

#include "nacre_conv_block_mve.h"
#include "nacre_lines_mve.h"

/* `tiles` of four pixels of a row, from output column ox on. */
NACRE_CODE
static NACRE_AROUND void convolve_tiles(nacre_tile_mve_t *tile, const nacre_lines_t *lines,
                                        int8_t *y, int32_t ox, int32_t tiles)
{
    const nacre_conv_mve_params_t *p = lines->p;
    const int32_t alone = p->output_c % 4 != 0;
    for (int32_t done = 0; done < tiles; done += tile->tiles) {
        const int32_t at = ox + done * NACRE_TILE_PIXELS;
        for (int32_t ky = 0; ky < 3; ++ky) {
            tile->x[ky] = lines->row[ky] + at * p->input_c;
        }
        tile->stream = tile->weights;
        tile->requant = tile->scales;
        tile->tiles = alone ? 1 : tiles;
        nacre_conv_channels_mve(tile, y + at * p->output_c, NACRE_TILE_PIXELS, p->output_c,
                                run_tile);
        tile->tiles = alone ? 1 : tiles;
    }
}

/* The last tile of a row may begin inside the one before it. */
NACRE_CODE
static NACRE_AROUND void convolve(const int8_t *input, const int8_t *weights,
                                  const int32_t *requant, int8_t *output,
                                  const nacre_conv_mve_params_t *p, nacre_rows_t rows,
                                  int8_t *scratch)
{
    nacre_tile_mve_t tile = nacre_conv_tile_mve(p);
    nacre_lines_t lines = nacre_lines_mve(p, input, scratch);
    tile.x_step = NACRE_TILE_PIXELS * p->input_c;
    tile.y_step = (NACRE_TILE_PIXELS - 1) * p->output_c;
    tile.weights = weights;
    tile.scales = requant;
    tile.x[3] = scratch;
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t to = nacre_ring_row(oy, p->output_ring);
        int8_t *const y = output + to * p->output_w * p->output_c;
        nacre_find_lines_mve(&lines, oy);
        convolve_tiles(&tile, &lines, y, 0, p->output_w / NACRE_TILE_PIXELS);
        if (p->output_w % NACRE_TILE_PIXELS != 0) {
            convolve_tiles(&tile, &lines, y, p->output_w - NACRE_TILE_PIXELS, 1);
        }
    }
}

#endif
