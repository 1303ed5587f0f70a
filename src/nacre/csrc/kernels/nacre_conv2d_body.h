/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution of 8-bit inputs: taps are widened to 16 bits in pieces, then multiplied.
 *
 * The including file defines element_t, output_t, layer_t {p, pad, input_offset, ...} and
 *   start(layer, first, n, acc)                 the first value of n accumulators
 *   dot4(layer, x, w, n, acc), dot1(...)          products of x with four rows of weights, or one
 *   finish(layer, acc, first, n, y)             accumulators to outputs
 * acc[32] and x[64] are all the memory that a pixel needs: an output channel block is
 *
 *        x[64]  (a piece of the taps, widened)
 *   w0   ----> acc[0]
 *   w1   ----> acc[1]      four rows of weights at a time, 16 products a step
 *   w2   ----> acc[2]
 *   w3   ----> acc[3]
 */
#ifndef NACRE_CONV2D_BODY_H
#define NACRE_CONV2D_BODY_H

#include "nacre_conv.h"

enum { PIECE = 64, BLOCK = 32, STEP = 16 };

/* The taps of one output pixel in one group of channels. */
typedef struct {
    const element_t *input;
    int32_t y;
    int32_t x;
    int32_t channels;
    int32_t taps;
    /* The taps of a kernel row lie side by side in the input. */
    int32_t whole_rows;
    /* Where the next piece begins: kernel row, tap within it. */
    int32_t row;
    int32_t at;
} window_t;

NACRE_CODE
static int16_t *fill(int16_t *restrict x, int32_t value, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        x[i] = (int16_t)value;
    }
    return x + n;
}

NACRE_CODE
static int16_t *widen(int16_t *restrict x, const element_t *restrict from, int32_t offset, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        x[i] = (int16_t)(from[i] + offset);
    }
    return x + n;
}

/* The next taps that lie side by side: where they are, NULL in the padding, and how many. */
NACRE_CODE
static const element_t *next_run(const layer_t *layer, const window_t *win, int32_t *n)
{
    const int32_t y = win->y + win->row * layer->p->dilation_h;
    *n = layer->p->kernel_w * win->channels - win->at;
    if (y < 0 || y >= layer->p->input_h) {
        return NULL;
    }
    const int32_t ring_row = nacre_ring_row(y, layer->p->input_ring);
    const element_t *row = win->input + (size_t)(ring_row * layer->p->input_w * layer->p->input_c);
    if (win->whole_rows) {
        return row + win->x * layer->p->input_c + win->at;
    }
    const int32_t x = win->x + win->at / win->channels * layer->p->dilation_w;
    const int32_t channel = win->at % win->channels;
    *n = win->channels - channel;
    return x < 0 || x >= layer->p->input_w ? NULL : row + x * layer->p->input_c + channel;
}

/* Widen the next n taps of the window. */
NACRE_CODE
static void gather(const layer_t *layer, window_t *win, int32_t n, int16_t *x)
{
    const int32_t row_taps = layer->p->kernel_w * win->channels;
    while (n > 0) {
        int32_t run;
        const element_t *from = next_run(layer, win, &run);
        run = nacre_min(run, n);
        x = from == NULL ? fill(x, layer->pad, run) : widen(x, from, layer->input_offset, run);
        n -= run;
        win->at += run;
        if (win->at == row_taps) {
            win->at = 0;
            ++win->row;
        }
    }
}

NACRE_CODE
static void multiply(const layer_t *layer, const int16_t *x, const element_t *w, int32_t taps,
                     int32_t n, int32_t *acc)
{
    const int32_t pitch = layer->p->weights_pitch;
    int32_t j = 0;
    for (; j + 4 <= n; j += 4) {
        dot4(layer, x, w, taps & -STEP, acc + j);
        w += 4 * pitch;
    }
    for (; j < n; ++j) {
        acc[j] = nacre_add_wrapping(acc[j], dot1(layer, x, w, taps & -STEP));
        w += pitch;
    }
}

/* n output channels of more taps than a piece holds. The last piece may begin inside the one
 * before it: taps that were counted already are zero there. */
NACRE_CODE
static void accumulate(const layer_t *layer, window_t *win, const element_t *w, int32_t n,
                       int16_t *x, int32_t *acc)
{
    win->row = 0;
    win->at = 0;
    for (int32_t begin = 0; begin < win->taps; begin += PIECE) {
        const int32_t taps = nacre_min(PIECE, win->taps - begin);
        const int32_t counted = -taps & (STEP - 1);
        gather(layer, win, taps, fill(x, 0, counted));
        multiply(layer, x, w + begin - counted, taps + counted, n, acc);
    }
}

/* All output channels of one group of a pixel. */
NACRE_CODE
static void convolve_group(const layer_t *layer, window_t *win, const element_t *weights,
                           int32_t first, int32_t channels, output_t *y)
{
    int16_t x[PIECE];
    int32_t acc[BLOCK];
    const int32_t one_piece = win->taps <= PIECE;
    if (one_piece) {
        gather(layer, win, win->taps, x);
        fill(x + win->taps, 0, -win->taps & (STEP - 1));
    }
    for (int32_t c = 0; c < channels; c += BLOCK) {
        const element_t *w = weights + (size_t)(first + c) * (size_t)layer->p->weights_pitch;
        const int32_t n = nacre_min(BLOCK, channels - c);
        start(layer, first + c, n, acc);
        if (one_piece) {
            multiply(layer, x, w, layer->p->weights_pitch, n, acc);
        } else {
            accumulate(layer, win, w, n, x, acc);
        }
        finish(layer, acc, first + c, n, y + first + c);
    }
}

NACRE_CODE
static void convolve(const layer_t *layer, const element_t *input, const element_t *weights,
                     output_t *output, nacre_rows_t rows)
{
    const int32_t channels = layer->p->input_c / layer->p->groups;
    const int32_t taps = layer->p->kernel_h * layer->p->kernel_w * channels;
    const int32_t outputs = layer->p->output_c / layer->p->groups;
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t ring_row = nacre_ring_row(oy, layer->p->output_ring);
        output_t *y = output + (size_t)(ring_row * layer->p->output_w * layer->p->output_c);
        for (int32_t ox = 0; ox < layer->p->output_w; ++ox) {
            const int32_t ix = ox * layer->p->stride_w - layer->p->pad_left;
            const int32_t whole_rows = layer->p->dilation_w == 1 && layer->p->groups == 1 &&
                                       ix >= 0 && ix + layer->p->kernel_w <= layer->p->input_w;
            for (int32_t g = 0; g < layer->p->groups; ++g) {
                window_t win = {input + g * channels, oy * layer->p->stride_h - layer->p->pad_top,
                                ix, channels, taps, whole_rows, 0, 0};
                convolve_group(layer, &win, weights, g * outputs, outputs, y);
            }
            y += layer->p->output_c;
        }
    }
}

#endif
