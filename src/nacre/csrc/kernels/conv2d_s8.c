/* SPDX-License-Identifier: Apache-2.0 */
/* int8 convolution that reads its input in place. */
#include "nacre_conv2d.h"
#include "nacre_dot_s8.h"
#include "nacre_requant.h"

/* The input window of one output pixel: its top left tap, whether all taps are inside. */
typedef struct {
    const int8_t *input;
    int32_t iy;
    int32_t ix;
    int32_t inside;
} pixel_t;

static const int8_t *input_row(const pixel_t *px, const nacre_conv2d_params_t *p, int32_t iy)
{
    return px->input + (size_t)((iy % p->input_ring) * p->input_w * p->input_c);
}

/* Four output channels of a pixel whose taps are all inside the input. */
static void accumulate4_inside(const pixel_t *px, const int8_t *w, size_t pitch,
                               const nacre_conv2d_params_t *p, int32_t acc[4])
{
    const int32_t runs = p->dilation_w == 1 ? 1 : p->kernel_w;
    const int32_t length = p->dilation_w == 1 ? p->kernel_w * p->input_c : p->input_c;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int8_t *x = input_row(px, p, px->iy + ky * p->dilation_h) + px->ix * p->input_c;
        for (int32_t run = 0; run < runs; ++run) {
            nacre_dot4_s8(x, w, pitch, length, acc);
            x += p->dilation_w * p->input_c;
            w += length;
        }
    }
}

/* One output channel of any pixel; taps outside read the pad value. */
static int32_t accumulate(const pixel_t *px, const int8_t *w, const nacre_conv2d_params_t *p)
{
    int32_t acc = 0;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int32_t iy = px->iy + ky * p->dilation_h;
        const int32_t row_inside = iy >= 0 && iy < p->input_h;
        for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
            const int32_t ix = px->ix + kx * p->dilation_w;
            if (row_inside && ix >= 0 && ix < p->input_w) {
                acc += nacre_dot_s8(input_row(px, p, iy) + ix * p->input_c, w, p->input_c);
            } else {
                acc += p->pad_value * nacre_sum_s8(w, p->input_c);
            }
            w += p->input_c;
        }
    }
    return acc;
}

static int8_t finish(int32_t acc, int32_t oc, const int32_t *requant,
                     const nacre_conv2d_params_t *p)
{
    return nacre_finish_s8(acc, requant[oc], requant[p->output_c + oc], p->output_offset,
                           p->activation_min, p->activation_max);
}

static void convolve_pixel(const pixel_t *px, const int8_t *weights, const int32_t *bias,
                           const int32_t *requant, int8_t *output, const nacre_conv2d_params_t *p)
{
    const size_t pitch = (size_t)(p->kernel_h * p->kernel_w * p->input_c);
    int32_t oc = 0;
    for (; px->inside && oc + 4 <= p->output_c; oc += 4) {
        int32_t acc[4] = {bias[oc], bias[oc + 1], bias[oc + 2], bias[oc + 3]};
        accumulate4_inside(px, weights + (size_t)oc * pitch, pitch, p, acc);
        for (int32_t j = 0; j < 4; ++j) {
            output[oc + j] = finish(acc[j], oc + j, requant, p);
        }
    }
    for (; oc < p->output_c; ++oc) {
        const int32_t acc = bias[oc] + accumulate(px, weights + (size_t)oc * pitch, p);
        output[oc] = finish(acc, oc, requant, p);
    }
}

void nacre_conv2d_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                     const int32_t *requant, int8_t *output, const nacre_conv2d_params_t *p,
                     nacre_rows_t rows)
{
    const int32_t extent_h = (p->kernel_h - 1) * p->dilation_h + 1;
    const int32_t extent_w = (p->kernel_w - 1) * p->dilation_w + 1;
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        int8_t *y = output + (size_t)((oy % p->output_ring) * p->output_w * p->output_c);
        pixel_t px = {input, oy * p->stride_h - p->pad_top, -p->pad_left, 0};
        const int32_t row_inside = px.iy >= 0 && px.iy + extent_h <= p->input_h;
        for (int32_t ox = 0; ox < p->output_w; ++ox) {
            px.inside = row_inside && px.ix >= 0 && px.ix + extent_w <= p->input_w;
            convolve_pixel(&px, weights, bias, requant, y, p);
            px.ix += p->stride_w;
            y += p->output_c;
        }
    }
}
