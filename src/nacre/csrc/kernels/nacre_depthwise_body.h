/* SPDX-License-Identifier: Apache-2.0 */
/* The depthwise convolution: taps outside, channels inside, so that compilers vectorise.
 *
 * The including file defines element_t, weight_t, acc_t, output_t, LANES, layer_t {p, pad, ...} and
 *   start(layer, first, n, acc)         the first value of n accumulators
 *   add_taps(layer, x, step, w, taps, n, acc)
 *                                       acc[j] += x[k * step + j] * w[k * weights_pitch + j]
 *   finish(layer, acc, first, n, y)     accumulators to outputs
 * A lane is one output channel of one pixel: up to LANES channels of a pixel, or all channels of
 * several pixels side by side.
 */
#ifndef NACRE_DEPTHWISE_BODY_H
#define NACRE_DEPTHWISE_BODY_H

#include <string.h>

#include "nacre_conv.h"

/* The channels [first, first + channels) of `pixels` pixels of a row. */
typedef struct {
    int32_t first;
    int32_t channels;
    int32_t pixels;
    /* Input column of the first pixel's leftmost tap. */
    int32_t x;
    /* The input channel of the first channel, and from there that of each. */
    int32_t source;
    uint8_t spread[LANES];
    /* The taps of a kernel row whose lanes lie side by side in the input. */
    nacre_rows_t direct;
} block_t;

NACRE_CODE
static block_t make_block(const layer_t *layer, int32_t first)
{
    const int32_t multiplier = layer->p->output_c / layer->p->input_c;
    block_t block;
    block.first = first;
    block.channels = nacre_min(LANES, layer->p->output_c - first);
    block.pixels = layer->p->weights_pitch / layer->p->output_c;
    block.source = first / multiplier;
    int32_t rest = first - block.source * multiplier;
    int32_t channel = 0;
    for (int32_t j = 0; j < block.channels; ++j) {
        block.spread[j] = (uint8_t)channel;
        if (++rest == multiplier) {
            rest = 0;
            ++channel;
        }
    }
    return block;
}

/* Move a block to the pixels from output column ox on. */
NACRE_CODE
static void place_block(const layer_t *layer, block_t *block, int32_t ox)
{
    const int32_t pitch = layer->p->stride_w;
    block->x = ox * pitch - layer->p->pad_left;
    block->pixels = nacre_min(block->pixels, layer->p->output_w - ox);
    const int32_t width = layer->p->input_w - (block->pixels - 1) * pitch;
    const int32_t taps = layer->p->kernel_w;
    block->direct = nacre_taps_inside(block->x, width, layer->p->dilation_w, taps);
    const int32_t side_by_side =
        layer->p->output_c == layer->p->input_c && (block->pixels == 1 || pitch == 1);
    if (!side_by_side || block->direct.begin >= block->direct.end) {
        block->direct.begin = taps;
        block->direct.end = taps;
    }
}

/* The inputs of a tap in column x, pixel by pixel; row is NULL in the padding. */
NACRE_CODE
static void copy_tap(const layer_t *layer, const block_t *block, const element_t *row, int32_t x,
                     element_t *copies)
{
    for (int32_t pixel = 0; pixel < block->pixels; ++pixel) {
        const int32_t inside = row != NULL && x >= 0 && x < layer->p->input_w;
        const element_t *from = inside ? row + x * layer->p->input_c : NULL;
        if (!inside || layer->p->input_c == 1) {
            const element_t value = inside ? *from : (element_t)layer->pad;
            for (int32_t j = 0; j < block->channels; ++j) {
                copies[j] = value;
            }
        } else if (layer->p->output_c == layer->p->input_c) {
            memcpy(copies, from, (size_t)block->channels * sizeof *copies);
        } else {
            for (int32_t j = 0; j < block->channels; ++j) {
                copies[j] = from[block->spread[j]];
            }
        }
        copies += block->channels;
        x += layer->p->stride_w;
    }
}

/* Taps [begin, end) of a kernel row of which some inputs may lie in the padding. */
NACRE_CODE
static void add_copies(const layer_t *layer, const block_t *block, const element_t *row,
                       const weight_t *w, int32_t begin, int32_t end, acc_t *acc)
{
    element_t copies[LANES];
    for (int32_t kx = begin; kx < end; ++kx) {
        copy_tap(layer, block, row, block->x + kx * layer->p->dilation_w, copies);
        add_taps(layer, copies, 0, w + kx * layer->p->weights_pitch, 1,
                 block->pixels * block->channels, acc);
    }
}

/* All taps of a kernel row; row is the input row, NULL in the padding. */
NACRE_CODE
static void add_row(const layer_t *layer, const block_t *block, const element_t *row,
                    const weight_t *w, acc_t *acc)
{
    const int32_t taps = layer->p->kernel_w;
    const int32_t begin = row == NULL ? taps : block->direct.begin;
    const int32_t end = row == NULL ? taps : block->direct.end;
    if (begin > 0) {
        add_copies(layer, block, row, w, 0, begin, acc);
    }
    if (end > begin) {
        const int32_t x = block->x + begin * layer->p->dilation_w;
        add_taps(layer, row + x * layer->p->input_c, layer->p->dilation_w * layer->p->input_c,
                 w + begin * layer->p->weights_pitch, end - begin,
                 block->pixels * block->channels, acc);
    }
    if (end < taps) {
        add_copies(layer, block, row, w, end, taps, acc);
    }
}

/* The outputs of a block; y is the first pixel's first channel. */
NACRE_CODE
static void convolve_block(const layer_t *layer, const block_t *block, const element_t *input,
                           const weight_t *w, int32_t iy, output_t *y)
{
    acc_t acc[LANES];
    const int32_t n = block->channels;
    for (int32_t pixel = 0; pixel < block->pixels; ++pixel) {
        start(layer, block->first, n, acc + pixel * n);
    }
    for (int32_t ky = 0; ky < layer->p->kernel_h; ++ky) {
        const int32_t row = iy + ky * layer->p->dilation_h;
        const element_t *from = NULL;
        if (row >= 0 && row < layer->p->input_h) {
            const int32_t pitch = layer->p->input_w * layer->p->input_c;
            from = input + (size_t)(nacre_ring_row(row, layer->p->input_ring) * pitch);
        }
        add_row(layer, block, from, w, acc);
        w += layer->p->kernel_w * layer->p->weights_pitch;
    }
    for (int32_t pixel = 0; pixel < block->pixels; ++pixel) {
        finish(layer, acc + pixel * n, block->first, n, y + pixel * layer->p->output_c);
    }
}

NACRE_CODE
static void convolve(const layer_t *layer, const element_t *input, const weight_t *weights,
                     output_t *output, nacre_rows_t rows)
{
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t iy = oy * layer->p->stride_h - layer->p->pad_top;
        const int32_t row = nacre_ring_row(oy, layer->p->output_ring) * layer->p->output_w;
        for (int32_t first = 0; first < layer->p->output_c; first += LANES) {
            output_t *y = output + (size_t)(row * layer->p->output_c) + first;
            block_t block = make_block(layer, first);
            for (int32_t ox = 0; ox < layer->p->output_w; ox += block.pixels) {
                place_block(layer, &block, ox);
                convolve_block(layer, &block, input + block.source, weights + first, iy, y);
                y += block.pixels * layer->p->output_c;
            }
        }
    }
}

#endif
