/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution of any kernel with Helium: the taps of four pixels side by side, then a tile.
 *
 * The including file defines run_tile.
 */
#ifndef NACRE_CONV2D_BODY_MVE_H
#define NACRE_CONV2D_BODY_MVE_H

#include "nacre_conv_block_mve.h"
#include "nacre_gather_mve.h"
#include "nacre_lines_mve.h"

/* The taps of four pixels of a row, tap by tap. */
NACRE_CODE
static NACRE_AROUND void gather_dilated(const nacre_lines_t *lines, int32_t offset, int8_t *to,
                                        int32_t pitch)
{
    const nacre_conv_mve_params_t *p = lines->p;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
            const int8_t *from = lines->row[ky] + offset + kx * p->dilation_w * p->input_c;
            for (int32_t n = 0; n < NACRE_TILE_PIXELS; ++n) {
                nacre_copy_mve(to + n * pitch, from + n * p->stride_w * p->input_c, p->input_c);
            }
            to += p->input_c;
        }
    }
}

/* What the tiles of a call have in common. */
typedef struct {
    nacre_lines_t lines;
    nacre_gather_t gather;
    nacre_tile_mve_t tile;
    const int8_t *weights;
    const int32_t *requant;
    int8_t *taps;
} layer_t;

/* Fill the taps of a tile of `pixels`, from column ox of row oy on and over the end of the row; a
 * row may leave more than was asked for, which the next one overwrites. Returns the next column. */
NACRE_CODE
static NACRE_AROUND int32_t fill_tile(layer_t *layer, int32_t ox, int32_t *oy, int32_t pixels)
{
    const nacre_conv_mve_params_t *p = layer->lines.p;
    int8_t *to = layer->taps;
    while (pixels > 0) {
        if (ox == p->output_w) {
            ox = 0;
            nacre_find_lines_mve(&layer->lines, ++*oy);
        }
        const int32_t offset = ox * layer->gather.step;
        if (p->dilation_w == 1) {
            nacre_gather_mve(&layer->gather, offset, to);
        } else {
            gather_dilated(&layer->lines, offset, to, layer->gather.pitch);
        }
        const int32_t count = nacre_min(pixels, p->output_w - ox);
        to += count * layer->gather.pitch;
        pixels -= count;
        ox += count;
    }
    return ox;
}

/* The pixels of a tile; those from `count` on repeat the last. */
NACRE_CODE
static NACRE_AROUND void set_pixels(layer_t *layer, int32_t count)
{
    for (int32_t i = 0; i < NACRE_TILE_PIXELS; ++i) {
        layer->tile.x[i] = layer->taps + nacre_min(i, count - 1) * layer->gather.pitch;
    }
}

/* Output rows that lie side by side. */
NACRE_CODE
static NACRE_AROUND void convolve_rows(layer_t *layer, int8_t *y, nacre_rows_t rows)
{
    const nacre_conv_mve_params_t *p = layer->lines.p;
    int32_t oy = rows.begin;
    int32_t ox = 0;
    nacre_find_lines_mve(&layer->lines, oy);
    set_pixels(layer, NACRE_TILE_PIXELS);
    for (int32_t left = (rows.end - oy) * p->output_w; left > 0; left -= NACRE_TILE_PIXELS) {
        const int32_t pixels = nacre_min(left, NACRE_TILE_PIXELS);
        ox = fill_tile(layer, ox, &oy, pixels);
        if (pixels < NACRE_TILE_PIXELS) {
            set_pixels(layer, pixels);
        }
        layer->tile.stream = layer->weights;
        layer->tile.requant = layer->requant;
        nacre_conv_channels_mve(&layer->tile, y, pixels, p->output_c, run_tile);
        y += NACRE_TILE_PIXELS * p->output_c;
    }
}

NACRE_CODE
static NACRE_AROUND void convolve(const int8_t *input, const int8_t *weights,
                                  const int32_t *requant, int8_t *output,
                                  const nacre_conv_mve_params_t *p, nacre_rows_t rows,
                                  int8_t *scratch)
{
    layer_t layer;
    const int32_t pitch = p->steps * NACRE_TILE_STEP + 16;
    /* A row that ends inside a tile fills up to three pixels beyond it. */
    const int32_t pixels = p->output_w % NACRE_TILE_PIXELS == 0 ? 4 : 7;
    layer.lines = nacre_lines_mve(p, input, scratch + pixels * pitch);
    layer.gather.rows = layer.lines.row;
    layer.gather.count = p->kernel_h;
    layer.gather.step = p->stride_w * p->input_c;
    layer.gather.pitch = pitch;
    layer.gather.run = p->kernel_w * p->input_c;
    layer.tile = nacre_conv_tile_mve(p);
    layer.weights = weights;
    layer.requant = requant;
    layer.taps = scratch;
    for (int32_t oy = rows.begin; oy < rows.end;) {
        const int32_t to = nacre_ring_row(oy, p->output_ring);
        const int32_t end = nacre_min(oy + p->output_ring - to, rows.end);
        const nacre_rows_t together = {oy, end};
        convolve_rows(&layer, output + to * p->output_w * p->output_c, together);
        oy = end;
    }
}

#endif
