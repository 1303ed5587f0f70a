/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the DSP depthwise convolutions, pixel by pixel. */
#include "nacre_depthwise_taps_dsp.h"

NACRE_CODE
static void convolve_row(layer_t *layer, int32_t oy, nacre_depthwise_tile_t *tile)
{
    const nacre_conv_params_t *p = layer->p;
    const nacre_rows_t inner = inner_columns(p);
    const int32_t whole = is_inside(p, oy);
    for (int32_t ox = 0; ox < p->output_w; ++ox) {
        if (whole && ox > inner.begin && ox < inner.end) {
            tile->index += p->stride_w * p->input_c;
        } else {
            point(layer, oy, ox, p->kernel_w);
            tile->index = 0;
        }
        pixel(p, tile);
        tile->y += p->output_c;
    }
}

NACRE_CODE
static void convolve(const int8_t *input, const int32_t *weights, int8_t *output,
                     const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch)
{
    const int32_t taps = p->kernel_h * p->kernel_w;
    layer_t layer = {p, input, (const int8_t **)(void *)scratch, (int8_t *)(scratch + taps), 0};
    nacre_depthwise_tile_t tile = first_tile(&layer, weights);
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t row = nacre_ring_row(oy, p->output_ring) * p->output_w;
        tile.y = output + row * p->output_c;
        convolve_row(&layer, oy, &tile);
    }
}
