/* SPDX-License-Identifier: Apache-2.0 */
/* int8 depthwise convolution of any kernel with Helium, pixel by pixel. */
#include "nacre_depthwise_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_lanes_mve.h"
#include "nacre_mve.h"

/* What a call reads: the input, and a pixel of padding. */
typedef struct {
    const nacre_conv_params_t *p;
    const int8_t *input;
    const int8_t *pad;
    const int8_t *taps[NACRE_DEPTHWISE_MVE_TAPS];
} layer_t;

/* The taps of a pixel, whose first one is at row iy and column ix. */
NACRE_CODE
static NACRE_AROUND void find_taps(layer_t *layer, int32_t iy, int32_t ix)
{
    const nacre_conv_params_t *p = layer->p;
    const int8_t **tap = layer->taps;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int32_t y = iy + ky * p->dilation_h;
        const int32_t inside = y >= 0 && y < p->input_h;
        const int32_t row = inside ? nacre_ring_row(y, p->input_ring) * p->input_w : 0;
        int32_t x = ix;
        for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
            const int32_t there = inside && x >= 0 && x < p->input_w;
            *tap++ = there ? layer->input + (row + x) * p->input_c : layer->pad;
            x += p->dilation_w;
        }
    }
}

/* The taps of a pixel further on, where none is in the padding. */
NACRE_CODE
static NACRE_AROUND void move_taps(layer_t *layer, int32_t count, int32_t step)
{
    for (int32_t k = 0; k < count; ++k) {
        layer->taps[k] += step;
    }
}

NACRE_CODE
static NACRE_AROUND void convolve_row(layer_t *layer, nacre_lanes_mve_t *lanes, int32_t oy,
                                      int8_t *y)
{
    const nacre_conv_params_t *p = layer->p;
    const int32_t iy = oy * p->stride_h - p->pad_top;
    const int32_t rows_end = iy + (p->kernel_h - 1) * p->dilation_h;
    const int32_t rows_inside = iy >= 0 && rows_end < p->input_h;
    int32_t ix = -p->pad_left;
    int32_t was_inside = 0;
    for (int32_t ox = 0; ox < p->output_w; ++ox) {
        const int32_t end = ix + (p->kernel_w - 1) * p->dilation_w;
        const int32_t inside = rows_inside && ix >= 0 && end < p->input_w;
        if (inside && was_inside) {
            move_taps(layer, lanes->count, p->stride_w * p->input_c);
        } else {
            find_taps(layer, iy, ix);
        }
        was_inside = inside;
        lanes->y = y;
        nacre_lanes_s8_mve(lanes);
        y += p->output_c;
        ix += p->stride_w;
    }
}

NACRE_CODE
NACRE_AROUND void nacre_depthwise_s8_mve(const int8_t *input, const int8_t *stream, int8_t *output,
                                        const nacre_conv_params_t *p, nacre_rows_t rows,
                                        int8_t *scratch)
{
    layer_t layer;
    layer.p = p;
    layer.input = input;
    layer.pad = scratch;
    nacre_fill_mve(scratch, p->pad_value, p->input_c);
    nacre_lanes_mve_t lanes = {stream, (p->output_c + 15) / 16, NULL, layer.taps,
                               p->kernel_h * p->kernel_w, p->output_c - 16, p->output_offset,
                               p->activation_min, p->activation_max};
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t to = nacre_ring_row(oy, p->output_ring);
        convolve_row(&layer, &lanes, oy, output + to * p->output_w * p->output_c);
    }
}

#endif
