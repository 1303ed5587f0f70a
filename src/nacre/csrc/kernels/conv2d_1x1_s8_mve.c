/* SPDX-License-Identifier: Apache-2.0 */
/* int8 convolution of single pixels with Helium: tiles of four pixels, over the ends of rows. */
#include "nacre_conv2d_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_conv_block_mve.h"

/* Pixels that lie side by side in the input and in the output. */
typedef struct {
    const int8_t *x;
    /* One past the last byte that may be read. */
    const int8_t *end;
    int8_t *y;
    int32_t pixels;
    /* Pixels up to the end of the row that the next one is in. */
    int32_t row;
} run_t;

/* The next four pixels, or as many as there are. A tile that reaches into the next row, or past
 * the end, works on copies: writing a row may destroy the one before it. */
NACRE_CODE
static NACRE_AROUND void convolve_tile(nacre_tile_mve_t *tile, const run_t *run,
                          const nacre_conv_mve_params_t *p, int8_t *copies)
{
    const int32_t count = nacre_min(NACRE_TILE_PIXELS, run->pixels);
    const int32_t read = tile->steps * NACRE_TILE_STEP;
    const int32_t copied = run->x + (count - 1) * p->input_c + read > run->end ||
                           (count > run->row && p->output_c > NACRE_TILE_CHANNELS);
    for (int32_t i = 0; i < NACRE_TILE_PIXELS; ++i) {
        const int32_t pixel = nacre_min(i, count - 1);
        tile->x[i] = run->x + pixel * p->input_c;
        if (copied) {
            nacre_copy_mve(copies + i * read, tile->x[i], p->input_c);
            tile->x[i] = copies + i * read;
        }
    }
    nacre_conv_channels_mve(tile, run->y, count, p->output_c, nacre_tile_short_s8_mve);
}

NACRE_CODE
static inline void advance(run_t *run, int32_t pixels, const nacre_conv_mve_params_t *p)
{
    run->x += pixels * p->input_c;
    run->y += pixels * p->output_c;
    run->pixels -= pixels;
    for (run->row -= pixels; run->row <= 0;) {
        run->row += p->output_w;
    }
}

/* Tiles whose pixels may be read again after outputs of the tile were written: those in one row,
 * those of one block, and those that begin behind the outputs. */
NACRE_CODE
static NACRE_AROUND int32_t undisturbed(const run_t *run, const nacre_conv_mve_params_t *p)
{
    const int32_t tiles = run->pixels / NACRE_TILE_PIXELS;
    if (p->output_c <= NACRE_TILE_CHANNELS || p->output_w % NACRE_TILE_PIXELS == 0 ||
        run->y >= run->x + run->pixels * p->input_c) {
        return tiles;
    }
    const int32_t gap = (int32_t)((intptr_t)run->x - (intptr_t)run->y) -
                        NACRE_TILE_PIXELS * p->output_c;
    const int32_t nearer = NACRE_TILE_PIXELS * (p->output_c - p->input_c);
    if (gap < 0) {
        return 0;
    }
    return nearer <= 0 ? tiles : nacre_min(tiles, gap / nearer + 1);
}

/* Tiles that need no copies: as many as there are. */
NACRE_CODE
static NACRE_AROUND int32_t convolve_tiles(nacre_tile_mve_t *tile, const run_t *run,
                                           const nacre_conv_mve_params_t *p)
{
    const int32_t over = p->steps * NACRE_TILE_STEP - p->input_c;
    const int32_t safe = ((int32_t)(run->end - run->x) - over) / p->input_c;
    const int32_t tiles = nacre_min(safe / NACRE_TILE_PIXELS, undisturbed(run, p));
    if (tiles < 1 || p->output_c % 4 != 0) {
        return 0;
    }
    for (int32_t i = 0; i < NACRE_TILE_PIXELS; ++i) {
        tile->x[i] = run->x + i * p->input_c;
        tile->y[i] = run->y + i * p->output_c;
    }
    nacre_tile_begin_mve(tile, p->output_c);
    tile->tiles = tiles;
    nacre_tile_short_s8_mve(tile);
    tile->tiles = 1;
    return tiles;
}

NACRE_CODE
NACRE_AROUND void nacre_conv2d_1x1_s8_mve(const int8_t *input, const int8_t *weights,
                                          const int32_t *requant, int8_t *output,
                                          const nacre_conv_mve_params_t *p, nacre_rows_t rows,
                                          int8_t *scratch)
{
    nacre_tile_mve_t tile = nacre_conv_tile_mve(p);
    tile.x_step = NACRE_TILE_PIXELS * p->input_c;
    tile.y_step = (NACRE_TILE_PIXELS - 1) * p->output_c;
    tile.weights = weights;
    tile.scales = requant;
    const int32_t width = p->output_w;
    const int8_t *const end = input + p->input_ring * width * p->input_c;
    for (int32_t oy = rows.begin; oy < rows.end;) {
        const int32_t from = nacre_ring_row(oy, p->input_ring);
        const int32_t to = nacre_ring_row(oy, p->output_ring);
        const int32_t whole = nacre_min(p->input_ring - from, p->output_ring - to);
        const int32_t count = nacre_min(whole, rows.end - oy);
        run_t run = {input + from * width * p->input_c, end, output + to * width * p->output_c,
                     count * width, width};
        while (run.pixels > 0) {
            tile.stream = weights;
            tile.requant = requant;
            int32_t tiles = convolve_tiles(&tile, &run, p);
            if (tiles == 0) {
                convolve_tile(&tile, &run, p, scratch);
                tiles = 1;
            }
            advance(&run, tiles * NACRE_TILE_PIXELS, p);
        }
        oy += count;
    }
}

#endif
