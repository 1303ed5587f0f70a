/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the DSP depthwise convolutions of 3x3 taps: two pixels of a row at a time.
 *
 * The including file defines multiply_pair(const nacre_depthwise_pair_t *). */
#include "nacre_depthwise_taps_dsp.h"

enum { COLUMNS = 4, POINTERS = 12 };

/* All channels of two pixels. */
NACRE_CODE
static void two_pixels(const nacre_conv_params_t *p, nacre_depthwise_pair_t *pair)
{
    const int32_t fours = p->output_c / 4;
    pair->y_end = pair->y0 + 4 * fours;
    multiply_pair(pair);
    if (p->output_c % 4 != 0) {
        nacre_depthwise_pair_t last = *pair;
        last.index += p->output_c - 4;
        last.y0 += p->output_c - 4;
        last.y1 += p->output_c - 4;
        last.y_end = last.y0 + 4;
        last.weights += fours * p->weights_pitch;
        multiply_pair(&last);
    }
    if (p->activation_min > INT8_MIN || p->activation_max < INT8_MAX) {
        nacre_clamp_bytes(pair->y0, 2 * p->output_c, p->activation_min, p->activation_max);
    }
}

NACRE_CODE
static void convolve_row(layer_t *layer, int32_t oy, int8_t *y, nacre_depthwise_pair_t *pair)
{
    const nacre_conv_params_t *p = layer->p;
    const nacre_rows_t inner = inner_columns(p);
    const int32_t whole = is_inside(p, oy);
    int32_t ox = 0;
    for (; ox + 1 < p->output_w; ox += 2) {
        if (whole && ox > inner.begin + 1 && ox + 1 < inner.end) {
            pair->index += 2 * p->input_c;
        } else {
            point(layer, oy, ox, COLUMNS);
            pair->index = 0;
        }
        pair->y0 = y;
        pair->y1 = y + p->output_c;
        two_pixels(p, pair);
        y += 2 * p->output_c;
    }
    if (ox < p->output_w) {
        nacre_depthwise_tile_t tile = first_tile(layer, pair->weights);
        point(layer, oy, ox, p->kernel_w);
        tile.y = y;
        pixel(p, &tile);
    }
}

NACRE_CODE
static void convolve(const int8_t *input, const int32_t *weights, int8_t *output,
                     const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch)
{
    layer_t layer = {p, input, (const int8_t **)(void *)scratch, (int8_t *)(scratch + POINTERS), 0};
    nacre_depthwise_pair_t pair = {layer.taps, NULL, NULL, NULL, 0, weights};
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t row = nacre_ring_row(oy, p->output_ring) * p->output_w;
        convolve_row(&layer, oy, output + row * p->output_c, &pair);
    }
}
