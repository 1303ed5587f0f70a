/* SPDX-License-Identifier: Apache-2.0 */
/* Pointers to the taps of a pixel, and all its channels, for the DSP depthwise convolutions.
 *
 * The including file defines NACRE_TILE, the micro-kernel for a pixel, and NACRE_TAP, its bytes of
 * code for a tap. Taps in the padding point to a pixel of padding. In rows whose taps are all
 * inside, the pixels away from the borders share their pointers: just the index moves on.
 */
#ifndef NACRE_DEPTHWISE_TAPS_DSP_H
#define NACRE_DEPTHWISE_TAPS_DSP_H

#include "nacre_conv_dsp.h"
#include "nacre_dsp.h"

enum { TAPS = 9 };

typedef struct {
    const nacre_conv_params_t *p;
    const int8_t *input;
    const int8_t **taps;
    int8_t *padding;
    int32_t padded; /* whether the pixel of padding is there already */
} layer_t;

NACRE_CODE
static const int8_t *padding(layer_t *layer)
{
    if (!layer->padded) {
        memset(layer->padding, layer->p->pad_value, (size_t)layer->p->input_c);
        layer->padded = 1;
    }
    return layer->padding;
}

/* Pointers to the taps of output pixel (oy, ox), so many of each row. */
NACRE_CODE
static void point(layer_t *layer, int32_t oy, int32_t ox, int32_t columns)
{
    const nacre_conv_params_t *p = layer->p;
    const int8_t **to = layer->taps;
    int32_t y = oy * p->stride_h - p->pad_top;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int32_t inside = y >= 0 && y < p->input_h;
        const int32_t ring_row = inside ? nacre_ring_row(y, p->input_ring) : 0;
        const int8_t *row = layer->input + (size_t)(ring_row * p->input_w * p->input_c);
        int32_t x = ox * p->stride_w - p->pad_left;
        for (int32_t kx = 0; kx < columns; ++kx) {
            const int32_t here = inside && x >= 0 && x < p->input_w;
            *to++ = here ? row + x * p->input_c : padding(layer);
            x += p->dilation_w;
        }
        y += p->dilation_h;
    }
}

/* All channels of a pixel. */
NACRE_CODE
static void pixel(const nacre_conv_params_t *p, nacre_depthwise_tile_t *tile)
{
    const int32_t fours = p->output_c / 4;
    tile->y_end = tile->y + 4 * fours;
    NACRE_TILE(tile);
    if (p->output_c % 4 != 0) {
        nacre_depthwise_tile_t last = *tile;
        last.index += p->output_c - 4;
        last.y += p->output_c - 4;
        last.y_end = last.y + 4;
        last.weights += fours * p->weights_pitch;
        NACRE_TILE(&last);
    }
    if (p->activation_min > INT8_MIN || p->activation_max < INT8_MAX) {
        nacre_clamp_bytes(tile->y, p->output_c, p->activation_min, p->activation_max);
    }
}

/* The output columns whose taps are all inside. */
NACRE_CODE
static nacre_rows_t inner_columns(const nacre_conv_params_t *p)
{
    const int32_t extent = (p->kernel_w - 1) * p->dilation_w + 1;
    const int32_t room = p->input_w + p->pad_left - extent;
    const int32_t begin = (p->pad_left + p->stride_w - 1) / p->stride_w;
    const int32_t end = room < 0 ? 0 : nacre_min(room / p->stride_w + 1, p->output_w);
    const nacre_rows_t columns = {begin, nacre_max(begin, end)};
    return columns;
}

/* Whether all kernel rows of an output row are inside the input. */
NACRE_CODE
static int32_t is_inside(const nacre_conv_params_t *p, int32_t oy)
{
    const int32_t top = oy * p->stride_h - p->pad_top;
    return top >= 0 && top + (p->kernel_h - 1) * p->dilation_h < p->input_h;
}

/* The tile of single pixels. */
NACRE_CODE
static nacre_depthwise_tile_t first_tile(const layer_t *layer, const int32_t *weights)
{
    const int32_t taps = layer->p->kernel_h * layer->p->kernel_w;
    const int32_t blocks = (taps + TAPS - 1) / TAPS;
    const nacre_depthwise_tile_t tile = {layer->taps, blocks, (blocks * TAPS - taps) * NACRE_TAP,
                                         NULL, NULL, 0, weights};
    return tile;
}

#endif
