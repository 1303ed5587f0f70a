/* SPDX-License-Identifier: Apache-2.0 */
/* float convolution on Helium: eight output channels of three pixels at a time. */
#include "nacre_f32_mve.h"
#include "nacre_lanes_f32_mve.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)

/* One output row of one block of channels. */
typedef struct {
    const nacre_conv_float_params_t *p;
    const float *input;
    const float *weights;
    const float *bias;
    float *output;
    int32_t y;
    int32_t channels;
} row_t;

/* Elements from the start of the input to column x of row ky of the window. */
NACRE_CODE
static inline int32_t place(const row_t *row, int32_t ky, int32_t x)
{
    const nacre_conv_float_params_t *p = row->p;
    const int32_t line = nacre_ring_row(row->y + ky * p->dilation_h, p->input_ring);
    return (line * p->input_w + x) * p->input_c;
}

/* One pixel, whatever taps of it lie inside. */
NACRE_CODE
static void one(const row_t *row, int32_t ox)
{
    const nacre_conv_float_params_t *p = row->p;
    const int32_t x = ox * p->stride_w - p->pad_left;
    const nacre_rows_t ky = nacre_taps_inside(row->y, p->input_h, p->dilation_h, p->kernel_h);
    const nacre_rows_t kx = nacre_taps_inside(x, p->input_w, p->dilation_w, p->kernel_w);
    const int32_t run = p->dilation_w == 1 ? kx.end - kx.begin : 1;
    nacre_lanes_t acc = {vdupq_n_f32(0.0f), vdupq_n_f32(0.0f)};
    for (int32_t i = ky.begin; i < ky.end; ++i) {
        for (int32_t j = kx.begin; j < kx.end; j += run) {
            const float *at = row->input + place(row, i, x + j * p->dilation_w);
            const int32_t tap = (i * p->kernel_w + j) * p->input_c;
            nacre_lanes_one_mve(at, row->weights + NACRE_LANES_MVE * tap, run * p->input_c, &acc);
        }
    }
    nacre_lanes_finish_mve(&acc, row->bias, p->activation_min, p->activation_max,
                           row->output + ox * p->output_c, row->channels);
}

/* Three pixels whose taps all lie inside the columns of the input. */
NACRE_CODE
static void three(const row_t *row, int32_t ox)
{
    const nacre_conv_float_params_t *p = row->p;
    const int32_t x = ox * p->stride_w - p->pad_left;
    const int32_t step = p->stride_w * p->input_c;
    const nacre_rows_t ky = nacre_taps_inside(row->y, p->input_h, p->dilation_h, p->kernel_h);
    const int32_t run = p->dilation_w == 1 ? p->kernel_w : 1;
    const float32x4_t zero = vdupq_n_f32(0.0f);
    nacre_lanes_t acc[3] = {{zero, zero}, {zero, zero}, {zero, zero}};
    for (int32_t i = ky.begin; i < ky.end; ++i) {
        for (int32_t j = 0; j < p->kernel_w; j += run) {
            const float *at = row->input + place(row, i, x + j * p->dilation_w);
            const float *const pixels[3] = {at, at + step, at + 2 * step};
            const int32_t tap = (i * p->kernel_w + j) * p->input_c;
            nacre_lanes_three_mve(pixels, row->weights + NACRE_LANES_MVE * tap, run * p->input_c,
                                  acc);
        }
    }
    for (int32_t k = 0; k < 3; ++k) {
        nacre_lanes_finish_mve(&acc[k], row->bias, p->activation_min, p->activation_max,
                               row->output + (ox + k) * p->output_c, row->channels);
    }
}

NACRE_CODE
static void convolve_row(const row_t *row)
{
    const nacre_conv_float_params_t *p = row->p;
    const int32_t reach = (p->kernel_w - 1) * p->dilation_w;
    int32_t ox = 0;
    while (ox < p->output_w) {
        const int32_t first = ox * p->stride_w - p->pad_left;
        const int32_t last = first + 2 * p->stride_w + reach;
        if (first >= 0 && last < p->input_w && ox + 3 <= p->output_w) {
            three(row, ox);
            ox += 3;
        } else {
            one(row, ox);
            ++ox;
        }
    }
}

NACRE_CODE
void nacre_conv2d_f32_mve(const float *input, const float *weights, const float *bias,
                          float *output, const nacre_conv_float_params_t *p, nacre_rows_t rows)
{
    const int32_t block = p->kernel_h * p->kernel_w * p->input_c * NACRE_LANES_MVE;
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t line = nacre_ring_row(oy, p->output_ring);
        row_t row = {p, input, weights, bias, output + line * p->output_w * p->output_c,
                     oy * p->stride_h - p->pad_top, 0};
        for (int32_t c = 0; c < p->output_c; c += NACRE_LANES_MVE) {
            row.channels = nacre_min(NACRE_LANES_MVE, p->output_c - c);
            convolve_row(&row);
            row.weights += block;
            row.bias += NACRE_LANES_MVE;
            row.output += NACRE_LANES_MVE;
        }
    }
}

#endif
