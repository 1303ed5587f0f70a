/* SPDX-License-Identifier: Apache-2.0 */
/* All output channels of a tile of a convolution with Helium. */
#ifndef NACRE_CONV_BLOCK_MVE_H
#define NACRE_CONV_BLOCK_MVE_H

#include "nacre_conv2d_mve.h"
#include "nacre_mve.h"

/* A tile with the layer's output stage. */
NACRE_CODE
static inline nacre_tile_mve_t nacre_conv_tile_mve(const nacre_conv_mve_params_t *p)
{
    nacre_tile_mve_t tile;
    tile.steps = p->steps;
    tile.general = p->general;
    tile.output_offset = p->output_offset;
    tile.low = p->activation_min;
    tile.high = p->activation_max;
    tile.tiles = 1;
    return tile;
}

/* The first block, and those that follow. */
NACRE_CODE
static inline void nacre_tile_begin_mve(nacre_tile_mve_t *tile, int32_t channels)
{
    tile->all = channels / 2;
    tile->pairs = nacre_min(tile->all, NACRE_TILE_CHANNELS / 2);
    tile->more = tile->all - tile->pairs;
}

/* Pixels that are not made of words go through a buffer. */
NACRE_CODE
static NACRE_APART void nacre_conv_bytes_mve(nacre_tile_mve_t *tile, int8_t *y, int32_t count,
                                             int32_t channels, void (*run)(nacre_tile_mve_t *))
{
    int8_t buffer[NACRE_TILE_PIXELS][NACRE_TILE_CHANNELS] __attribute__((aligned(4)));
    for (int32_t c = 0; c < channels; c += NACRE_TILE_CHANNELS) {
        const int32_t n = nacre_min(NACRE_TILE_CHANNELS, channels - c);
        tile->pairs = (n + 3) / 4 * 2;
        tile->more = 0;
        for (int32_t i = 0; i < NACRE_TILE_PIXELS; ++i) {
            tile->y[i] = buffer[i];
        }
        run(tile);
        for (int32_t i = 0; i < count; ++i) {
            nacre_copy_mve(y + i * channels + c, buffer[i], n);
        }
    }
}

/* The outputs of `count` pixels that lie side by side; those that lack repeat the last. */
NACRE_CODE
static inline NACRE_AROUND void nacre_conv_channels_mve(nacre_tile_mve_t *tile, int8_t *y,
                                                        int32_t count, int32_t channels,
                                                        void (*run)(nacre_tile_mve_t *))
{
    if (channels % 4 != 0) {
        nacre_conv_bytes_mve(tile, y, count, channels, run);
        return;
    }
    for (int32_t i = 0; i < NACRE_TILE_PIXELS; ++i) {
        tile->y[i] = y + nacre_min(i, count - 1) * channels;
    }
    nacre_tile_begin_mve(tile, channels);
    run(tile);
}

#endif
