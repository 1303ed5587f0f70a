/* SPDX-License-Identifier: Apache-2.0 */
/* The convolution of any kernel with Helium: the taps of four pixels side by side, then a tile. */
#ifndef NACRE_CONV2D_BODY_MVE_H
#define NACRE_CONV2D_BODY_MVE_H

#include <arm_mve.h>

#include "nacre_conv_block_mve.h"

/* What a call reads, and the input rows under the kernel rows of one output row. */
typedef struct {
    const nacre_conv_mve_params_t *p;
    const int8_t *input;
    /* One past the last byte that may be read. */
    const int8_t *end;
    /* Taps of a kernel row. */
    int32_t run;
    const int8_t *row[NACRE_CONV_MVE_ROWS];
} layer_t;

/* NULL stands for a row of padding. */
NACRE_CODE
static void find_rows(layer_t *layer, int32_t oy)
{
    const nacre_conv_mve_params_t *p = layer->p;
    int32_t iy = oy * p->stride_h - p->pad_top;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int32_t inside = iy >= 0 && iy < p->input_h;
        const int32_t at = inside ? nacre_ring_row(iy, p->input_ring) : 0;
        layer->row[ky] = inside ? layer->input + at * p->input_w * p->input_c : NULL;
        iy += p->dilation_h;
    }
}

/* The taps of one kernel row of which some may lie in the padding, or at the input's very end. */
NACRE_CODE
static NACRE_APART void gather_border(const layer_t *layer, const int8_t *row, int32_t ix,
                                      int8_t *to)
{
    const nacre_conv_mve_params_t *p = layer->p;
    for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
        if (row != NULL && ix >= 0 && ix < p->input_w) {
            nacre_copy_mve(to, row + ix * p->input_c, p->input_c);
        } else {
            nacre_fill_mve(to, p->pad_value, p->input_c);
        }
        to += p->input_c;
        ix += p->dilation_w;
    }
}

/* The taps of a pixel, row after row; what is copied too much is overwritten by the next row, or
 * meets weights of zero. */
NACRE_CODE
static inline void gather(const layer_t *layer, int32_t ix, int8_t *to)
{
    const nacre_conv_mve_params_t *p = layer->p;
    const int32_t run = layer->run;
    const int32_t whole = p->dilation_w == 1 && ix >= 0 && ix + p->kernel_w <= p->input_w;
    const int32_t offset = ix * p->input_c;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int8_t *row = layer->row[ky];
        if (!whole || row == NULL || layer->end - row < offset + run + 15) {
            gather_border(layer, row, ix, to);
        } else {
            const int8_t *from = row + offset;
            for (int32_t i = 0; i < run; i += 16) {
                vst1q_s8(to + i, vld1q_s8(from + i));
            }
        }
        to += run;
    }
}

/* Output rows that lie side by side, from oy on. */
NACRE_CODE
static void convolve_rows(layer_t *layer, nacre_tile_mve_t *tile, const int8_t *weights,
                          const int32_t *requant, int8_t *y, int32_t oy, int32_t count,
                          int8_t *scratch)
{
    const nacre_conv_mve_params_t *p = layer->p;
    const int32_t pitch = p->steps * NACRE_TILE_STEP + 16;
    int32_t ox = 0;
    find_rows(layer, oy);
    for (int32_t left = count * p->output_w; left > 0; left -= NACRE_TILE_PIXELS) {
        const int32_t pixels = nacre_min(left, NACRE_TILE_PIXELS);
        for (int32_t i = 0; i < pixels; ++i) {
            if (ox == p->output_w) {
                ox = 0;
                find_rows(layer, ++oy);
            }
            gather(layer, ox * p->stride_w - p->pad_left, scratch + i * pitch);
            ++ox;
        }
        for (int32_t i = 0; i < NACRE_TILE_PIXELS; ++i) {
            tile->x[i] = scratch + nacre_min(i, pixels - 1) * pitch;
        }
        tile->stream = weights;
        tile->requant = requant;
        nacre_conv_channels_mve(tile, y, pixels, p->output_c, run_tile);
        y += NACRE_TILE_PIXELS * p->output_c;
    }
}

NACRE_CODE
static void convolve(const int8_t *input, const int8_t *weights, const int32_t *requant,
                     int8_t *output, const nacre_conv_mve_params_t *p, nacre_rows_t rows,
                     int8_t *scratch)
{
    nacre_tile_mve_t tile = nacre_conv_tile_mve(p);
    layer_t layer;
    layer.p = p;
    layer.input = input;
    layer.end = input + p->input_ring * p->input_w * p->input_c;
    layer.run = p->kernel_w * p->input_c;
    for (int32_t oy = rows.begin; oy < rows.end;) {
        const int32_t to = nacre_ring_row(oy, p->output_ring);
        const int32_t count = nacre_min(p->output_ring - to, rows.end - oy);
        convolve_rows(&layer, &tile, weights, requant, output + to * p->output_w * p->output_c, oy,
                      count, scratch);
        oy += count;
    }
}

#endif
