/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the DSP depthwise convolutions: pointers to the taps of a pixel, then all channels.
 *
 * The including file defines TAP (bytes of code for a tap) and
 *   multiply(const nacre_depthwise_tile_t *)      channels in fours of one pixel
 * Taps in the padding point to a pixel of padding. In rows whose taps are all inside, the pixels
 * away from the borders share their pointers: just the index moves on.
 */
#include "nacre_dsp.h"

enum { TAPS = 9 };

typedef struct {
    const nacre_conv_params_t *p;
    const int8_t *input;
    const int8_t **taps;
    const int8_t *padding;
} layer_t;

/* Pointers to the taps of output pixel (oy, ox). */
NACRE_CODE
static void point(const layer_t *layer, int32_t oy, int32_t ox)
{
    const nacre_conv_params_t *p = layer->p;
    const int8_t **to = layer->taps;
    int32_t y = oy * p->stride_h - p->pad_top;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int32_t inside = y >= 0 && y < p->input_h;
        const int32_t ring_row = inside ? nacre_ring_row(y, p->input_ring) : 0;
        const int8_t *row = layer->input + (size_t)(ring_row * p->input_w * p->input_c);
        int32_t x = ox * p->stride_w - p->pad_left;
        for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
            const int32_t here = inside && x >= 0 && x < p->input_w;
            *to++ = here ? row + x * p->input_c : layer->padding;
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
    multiply(tile);
    if (p->output_c % 4 != 0) {
        nacre_depthwise_tile_t last = *tile;
        last.index += p->output_c - 4;
        last.y += p->output_c - 4;
        last.y_end = last.y + 4;
        last.weights += fours * p->weights_pitch;
        multiply(&last);
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

NACRE_CODE
static void convolve_row(const layer_t *layer, int32_t oy, nacre_depthwise_tile_t *tile)
{
    const nacre_conv_params_t *p = layer->p;
    const int32_t top = oy * p->stride_h - p->pad_top;
    const int32_t bottom = top + (p->kernel_h - 1) * p->dilation_h + 1;
    const nacre_rows_t inner = inner_columns(p);
    const int32_t whole = top >= 0 && bottom <= p->input_h;
    for (int32_t ox = 0; ox < p->output_w; ++ox) {
        if (whole && ox > inner.begin && ox < inner.end) {
            tile->index += p->stride_w * p->input_c;
        } else {
            point(layer, oy, ox);
            tile->index = 0;
        }
        pixel(p, tile);
        tile->y += p->output_c;
    }
}

NACRE_CODE
static void convolve(const int8_t *input, const int32_t *weights, int8_t *output,
                     const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch)
{
    const int32_t taps = p->kernel_h * p->kernel_w;
    const int32_t blocks = (taps + TAPS - 1) / TAPS;
    const int8_t **const pointers = (const int8_t **)(void *)scratch;
    int8_t *const padding = (int8_t *)(scratch + taps);
    memset(padding, p->pad_value, (size_t)p->input_c);
    const layer_t layer = {p, input, pointers, padding};
    nacre_depthwise_tile_t tile = {pointers, blocks, (blocks * TAPS - taps) * TAP, NULL, NULL, 0,
                                   weights};
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t row = nacre_ring_row(oy, p->output_ring) * p->output_w;
        tile.y = output + row * p->output_c;
        convolve_row(&layer, oy, &tile);
    }
}
