/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution of 16-bit inputs with 8-bit weights, four output channels at a time.
 *
 * The including file defines layer_t {p, ...} and
 *   finish(layer, acc, first, n, y)     64-bit sums without the bias to n <= 4 outputs
 */
#ifndef NACRE_CONV2D_S16_BODY_H
#define NACRE_CONV2D_S16_BODY_H

#include "nacre_conv.h"
#include "nacre_run_s16.h"

/* The taps of one output pixel in one group of channels. */
typedef struct {
    const int16_t *input;
    int32_t y;
    int32_t x;
    int32_t channels;
} window_t;

/* n <= 4 output channels of a pixel; w is the first one's row of weights. */
NACRE_CODE
static void accumulate(const nacre_conv_params_t *p, const window_t *win, const int8_t *w,
                       int32_t n, int64_t acc[4])
{
    const size_t pitch = (size_t)p->weights_pitch;
    const nacre_rows_t ky = nacre_taps_inside(win->y, p->input_h, p->dilation_h, p->kernel_h);
    const nacre_rows_t kx = nacre_taps_inside(win->x, p->input_w, p->dilation_w, p->kernel_w);
    const int32_t side_by_side = p->dilation_w == 1 && p->groups == 1;
    const int32_t together = side_by_side ? kx.end - kx.begin : 1;
    for (int32_t i = ky.begin; i < ky.end; ++i) {
        const int32_t row = nacre_ring_row(win->y + i * p->dilation_h, p->input_ring);
        for (int32_t j = kx.begin; j < kx.end; j += together) {
            const int32_t column = win->x + j * p->dilation_w;
            const int16_t *x = win->input + (size_t)((row * p->input_w + column) * p->input_c);
            const int8_t *taps = w + (i * p->kernel_w + j) * win->channels;
            nacre_run_s16(x, taps, pitch, together * win->channels, n, acc);
        }
    }
}

NACRE_CODE
static void convolve_pixel(const layer_t *layer, const int16_t *input, const int8_t *weights,
                           int32_t iy, int32_t ix, int16_t *y)
{
    const nacre_conv_params_t *p = layer->p;
    const int32_t channels = p->input_c / p->groups;
    const int32_t outputs = p->output_c / p->groups;
    for (int32_t g = 0; g < p->groups; ++g) {
        const window_t win = {input + g * channels, iy, ix, channels};
        for (int32_t c = g * outputs; c < (g + 1) * outputs; c += 4) {
            const int32_t n = nacre_min(4, (g + 1) * outputs - c);
            int64_t acc[4] = {0, 0, 0, 0};
            accumulate(p, &win, weights + (size_t)c * (size_t)p->weights_pitch, n, acc);
            finish(layer, acc, c, n, y + c);
        }
    }
}

NACRE_CODE
static void convolve(const layer_t *layer, const int16_t *input, const int8_t *weights,
                     int16_t *output, nacre_rows_t rows)
{
    const nacre_conv_params_t *p = layer->p;
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t row = nacre_ring_row(oy, p->output_ring);
        int16_t *y = output + (size_t)(row * p->output_w * p->output_c);
        for (int32_t ox = 0; ox < p->output_w; ++ox) {
            convolve_pixel(layer, input, weights, oy * p->stride_h - p->pad_top,
                           ox * p->stride_w - p->pad_left, y);
            y += p->output_c;
        }
    }
}

#endif
