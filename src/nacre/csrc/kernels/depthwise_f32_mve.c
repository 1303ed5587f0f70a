/* SPDX-License-Identifier: Apache-2.0 */
/* float depthwise convolution on Helium: four channels of a pixel at a time. */
#include "nacre_f32_mve.h"
#include "nacre_lanes_f32_mve.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)

/* The taps of one pixel that lie inside the input. */
typedef struct {
    const nacre_conv_float_params_t *p;
    nacre_rows_t ky;
    nacre_rows_t kx;
    int32_t y;
    int32_t x;
} window_t;

/* Sums of four channels; x and w point to the first of them. The last lanes may be loaded from
 * beyond the channels: `lanes` says which count. */
NACRE_CODE
static inline float32x4_t sum_taps(const window_t *win, const float *x, const float *w,
                                   mve_pred16_t lanes)
{
    const nacre_conv_float_params_t *p = win->p;
    const int32_t step = p->dilation_w * p->input_c;
    float32x4_t acc = vdupq_n_f32(0.0f);
    for (int32_t i = win->ky.begin; i < win->ky.end; ++i) {
        const int32_t line = nacre_ring_row(win->y + i * p->dilation_h, p->input_ring);
        const int32_t column = win->x + win->kx.begin * p->dilation_w;
        const float *at = x + (line * p->input_w + column) * p->input_c;
        const float *tap = w + (i * p->kernel_w + win->kx.begin) * p->weights_pitch;
        for (int32_t j = win->kx.begin; j < win->kx.end; ++j) {
            acc = vfmaq_f32(acc, vldrwq_z_f32(at, lanes), vldrwq_f32(tap));
            at += step;
            tap += p->weights_pitch;
        }
    }
    return acc;
}

NACRE_CODE
void nacre_depthwise_f32_mve(const float *input, const float *weights, const float *bias,
                             float *output, const nacre_conv_float_params_t *p,
                             nacre_rows_t rows)
{
    const float32x4_t floor = vdupq_n_f32(p->activation_min);
    const float32x4_t roof = vdupq_n_f32(p->activation_max);
    window_t win = {p, {0, 0}, {0, 0}, 0, 0};
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t line = nacre_ring_row(oy, p->output_ring);
        float *y = output + line * p->output_w * p->output_c;
        win.y = oy * p->stride_h - p->pad_top;
        win.ky = nacre_taps_inside(win.y, p->input_h, p->dilation_h, p->kernel_h);
        for (int32_t ox = 0; ox < p->output_w; ++ox) {
            win.x = ox * p->stride_w - p->pad_left;
            win.kx = nacre_taps_inside(win.x, p->input_w, p->dilation_w, p->kernel_w);
            for (int32_t c = 0; c < p->output_c; c += 4) {
                const mve_pred16_t lanes = vctp32q((uint32_t)(p->output_c - c));
                float32x4_t acc = sum_taps(&win, input + c, weights + c, lanes);
                acc = vaddq_f32(acc, vldrwq_f32(bias + c));
                vstrwq_p_f32(y + c, nacre_clamp_mve(acc, floor, roof), lanes);
            }
            y += p->output_c;
        }
    }
}

#endif
