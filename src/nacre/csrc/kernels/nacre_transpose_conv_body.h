/* SPDX-License-Identifier: Apache-2.0 */
/* The transposed convolution: which taps an output pixel has.
 *
 * The including file defines element_t, weight_t, output_t, layer_t {p, ...}, LANES (output channels
 * at a time), acc_t and
 *   start(layer, first, n, acc)                        the first value of n accumulators
 *   add_tap(layer, x, weights, tap, first, n, acc)     x is an input pixel, tap = ky * kernel_w + kx
 *   finish(layer, acc, first, n, y)                    accumulators to outputs
 */
#ifndef NACRE_TRANSPOSE_CONV_BODY_H
#define NACRE_TRANSPOSE_CONV_BODY_H

#include "nacre_conv.h"

/* The taps that reach one output: k = begin, begin + stride, ... < end reads input `from`, from - 1, ... */
typedef struct {
    int32_t begin;
    int32_t end;
    int32_t from;
} reach_t;

NACRE_CODE
static reach_t reach(int32_t output, int32_t stride, int32_t inputs, int32_t kernel)
{
    const int32_t last = nacre_min(output / stride, inputs - 1);
    const reach_t found = {output - last * stride, nacre_min(kernel, output + 1), last};
    return found;
}

/* n output channels of one pixel. */
NACRE_CODE
static void add_taps(const layer_t *layer, const element_t *input, const weight_t *weights,
                     reach_t rows, reach_t columns, int32_t first, int32_t n, acc_t *acc)
{
    int32_t iy = rows.from;
    for (int32_t ky = rows.begin; ky < rows.end; ky += layer->p->stride_h) {
        const int32_t row = nacre_ring_row(iy--, layer->p->input_ring) * layer->p->input_w;
        int32_t ix = columns.from;
        for (int32_t kx = columns.begin; kx < columns.end; kx += layer->p->stride_w) {
            const element_t *x = input + (size_t)((row + ix--) * layer->p->input_c);
            add_tap(layer, x, weights, ky * layer->p->kernel_w + kx, first, n, acc);
        }
    }
}

NACRE_CODE
static void convolve(const layer_t *layer, const element_t *input, const weight_t *weights,
                     output_t *output, nacre_rows_t rows)
{
    acc_t acc[LANES];
    const int32_t channels = layer->p->output_c;
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const reach_t across = reach(oy + layer->p->pad_top, layer->p->stride_h,
                                     layer->p->input_h, layer->p->kernel_h);
        const int32_t row = nacre_ring_row(oy, layer->p->output_ring) * layer->p->output_w;
        output_t *y = output + (size_t)(row * channels);
        for (int32_t ox = 0; ox < layer->p->output_w; ++ox) {
            const reach_t along = reach(ox + layer->p->pad_left, layer->p->stride_w,
                                        layer->p->input_w, layer->p->kernel_w);
            for (int32_t first = 0; first < channels; first += LANES) {
                const int32_t n = nacre_min(LANES, channels - first);
                start(layer, first, n, acc);
                add_taps(layer, input, weights, across, along, first, n, acc);
                finish(layer, acc, first, n, y + first);
            }
            y += channels;
        }
    }
}

#endif
