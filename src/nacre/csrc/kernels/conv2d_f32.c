/* SPDX-License-Identifier: Apache-2.0 */
/* float convolution, output channels side by side. */
#include "nacre_conv2d.h"
#include "nacre_lanes_f32.h"

enum { LANES = 16 };

/* The taps of one output pixel in one group of channels. */
typedef struct {
    const float *input;
    int32_t y;
    int32_t x;
    int32_t channels;
    int32_t outputs;
} window_t;

/* `lanes` output channels of a pixel; w are the first one's weights. */
NACRE_CODE
static inline void convolve_lanes(const nacre_conv_float_params_t *p, const window_t *win,
                                  const float *w, const float *bias, float *y, int32_t lanes)
{
    float acc[LANES] = {0};
    const nacre_rows_t ky = nacre_taps_inside(win->y, p->input_h, p->dilation_h, p->kernel_h);
    const nacre_rows_t kx = nacre_taps_inside(win->x, p->input_w, p->dilation_w, p->kernel_w);
    for (int32_t i = ky.begin; i < ky.end; ++i) {
        const int32_t row = nacre_ring_row(win->y + i * p->dilation_h, p->input_ring);
        for (int32_t j = kx.begin; j < kx.end; ++j) {
            const int32_t column = win->x + j * p->dilation_w;
            const float *x = win->input + (size_t)((row * p->input_w + column) * p->input_c);
            const int32_t tap = (i * p->kernel_w + j) * win->channels * win->outputs;
            nacre_lanes_f32(x, win->channels, w + tap, (size_t)win->outputs, acc, lanes);
        }
    }
    for (int32_t j = 0; j < lanes; ++j) {
        y[j] = nacre_clamp_f32(acc[j] + bias[j], p->activation_min, p->activation_max);
    }
}

NACRE_CODE
static void convolve_group(const nacre_conv_float_params_t *p, const window_t *win, const float *w,
                           const float *bias, float *y)
{
    int32_t c = 0;
    for (; c + LANES <= win->outputs; c += LANES) {
        convolve_lanes(p, win, w + c, bias + c, y + c, LANES);
    }
    for (; c + 4 <= win->outputs; c += 4) {
        convolve_lanes(p, win, w + c, bias + c, y + c, 4);
    }
    for (; c < win->outputs; ++c) {
        convolve_lanes(p, win, w + c, bias + c, y + c, 1);
    }
}

NACRE_CODE
void nacre_conv2d_f32(const float *input, const float *weights, const float *bias, float *output,
                      const nacre_conv_float_params_t *p, nacre_rows_t rows)
{
    const int32_t channels = p->input_c / p->groups;
    const int32_t outputs = p->output_c / p->groups;
    const int32_t group_weights = p->kernel_h * p->kernel_w * channels * outputs;
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t row = nacre_ring_row(oy, p->output_ring);
        float *y = output + (size_t)(row * p->output_w * p->output_c);
        for (int32_t ox = 0; ox < p->output_w; ++ox) {
            for (int32_t g = 0; g < p->groups; ++g) {
                const window_t win = {input + g * channels, oy * p->stride_h - p->pad_top,
                                      ox * p->stride_w - p->pad_left, channels, outputs};
                convolve_group(p, &win, weights + (size_t)g * (size_t)group_weights,
                               bias + g * outputs, y + g * outputs);
            }
            y += p->output_c;
        }
    }
}
