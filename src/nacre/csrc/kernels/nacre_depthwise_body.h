/* SPDX-License-Identifier: Apache-2.0 */
/* The depthwise convolution: taps outside, channels inside, so that compilers vectorise.
 *
 * The including file defines element_t, weight_t, acc_t, output_t, BLOCK (channels at a time),
 * layer_t {p, pad, …} and
 *   start(layer, first, n, acc)         the first value of n accumulators
 *   add_tap(layer, x, w, n, acc)        acc[j] += x[j] * w[j]
 *   finish(layer, acc, first, n, y)     accumulators to outputs
 */
#ifndef NACRE_DEPTHWISE_BODY_H
#define NACRE_DEPTHWISE_BODY_H

#include "nacre_conv.h"

/* n <= BLOCK output channels of one row. */
typedef struct {
    int32_t first;
    int32_t n;
    /* Input channels of the first output channel, and from there of each. */
    int32_t source;
    uint8_t spread[BLOCK];
    element_t padding[BLOCK];
} block_t;

static block_t make_block(const layer_t *layer, int32_t first)
{
    const int32_t multiplier = layer->p->output_c / layer->p->input_c;
    block_t block;
    block.first = first;
    block.n = nacre_min(BLOCK, layer->p->output_c - first);
    block.source = first / multiplier;
    int32_t rest = first - block.source * multiplier;
    int32_t channel = 0;
    for (int32_t j = 0; j < block.n; ++j) {
        block.padding[j] = (element_t)layer->pad;
        block.spread[j] = (uint8_t)channel;
        if (++rest == multiplier) {
            rest = 0;
            ++channel;
        }
    }
    return block;
}

/* One tap of a block: x is the input pixel, NULL in the padding. */
static void add_pixel(const layer_t *layer, const block_t *block, const element_t *x,
                      const weight_t *w, acc_t *acc)
{
    if (x == NULL) {
        add_tap(layer, block->padding, w, block->n, acc);
    } else if (layer->p->output_c == layer->p->input_c) {
        add_tap(layer, x, w, block->n, acc);
    } else {
        element_t copies[BLOCK];
        for (int32_t j = 0; j < block->n; ++j) {
            copies[j] = x[block->spread[j]];
        }
        add_tap(layer, copies, w, block->n, acc);
    }
}

/* All taps of the output pixel whose top left tap is input (iy, ix). */
static void add_taps(const layer_t *layer, const block_t *block, const element_t *input,
                     const weight_t *w, int32_t iy, int32_t ix, acc_t *acc)
{
    for (int32_t ky = 0; ky < layer->p->kernel_h; ++ky) {
        const int32_t y = iy + ky * layer->p->dilation_h;
        const int32_t inside = y >= 0 && y < layer->p->input_h;
        const int32_t row = inside ? nacre_ring_row(y, layer->p->input_ring) : 0;
        for (int32_t kx = 0; kx < layer->p->kernel_w; ++kx) {
            const int32_t x = ix + kx * layer->p->dilation_w;
            const element_t *pixel = NULL;
            if (inside && x >= 0 && x < layer->p->input_w) {
                pixel = input + (size_t)((row * layer->p->input_w + x) * layer->p->input_c);
            }
            add_pixel(layer, block, pixel, w, acc);
            w += layer->p->output_c;
        }
    }
}

static void convolve(const layer_t *layer, const element_t *input, const weight_t *weights,
                     output_t *output, nacre_rows_t rows)
{
    acc_t acc[BLOCK];
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t iy = oy * layer->p->stride_h - layer->p->pad_top;
        const int32_t row = nacre_ring_row(oy, layer->p->output_ring);
        for (int32_t first = 0; first < layer->p->output_c; first += BLOCK) {
            const block_t block = make_block(layer, first);
            output_t *y =
                output + (size_t)(row * layer->p->output_w * layer->p->output_c) + first;
            for (int32_t ox = 0; ox < layer->p->output_w; ++ox) {
                const int32_t ix = ox * layer->p->stride_w - layer->p->pad_left;
                start(layer, first, block.n, acc);
                add_taps(layer, &block, input + block.source, weights + first, iy, ix, acc);
                finish(layer, acc, first, block.n, y);
                y += layer->p->output_c;
            }
        }
    }
}

#endif
