/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the DSP pools. The including file defines sums_t and
 *   sums_t first(void), sums_t add(sums_t, uint32_t four channels),
 *   uint32_t finish(sums_t, int32_t taps)      four outputs */
#include "nacre_dsp.h"

/* The part of a window that is inside the input: rows [top, bottom), columns [left, right). */
typedef struct {
    int32_t top;
    int32_t bottom;
    int32_t left;
    int32_t right;
} window_t;

NACRE_CODE
static uint32_t pool_four(const int8_t *input, const nacre_pool2d_params_t *p,
                          const window_t *window)
{
    const int32_t columns = window->right - window->left;
    const int32_t channels = p->channels;
    sums_t sums = first();
    for (int32_t iy = window->top; iy < window->bottom; ++iy) {
        const int8_t *x = input + ((iy % p->input_ring) * p->input_w + window->left) * channels;
        for (int32_t left = columns; left > 0; --left) {
            sums = add(sums, nacre_word(x));
            x += channels;
        }
    }
    return finish(sums, (window->bottom - window->top) * columns);
}

/* All channels of a pixel; the last four may begin among those before them. */
NACRE_CODE
static void pool_pixel(const int8_t *input, int8_t *y, const nacre_pool2d_params_t *p,
                       const window_t *window)
{
    for (int32_t c = 0; c < p->channels; c += 4) {
        const int32_t from = nacre_min(c, p->channels - 4);
        const uint32_t four = pool_four(input + from, p, window);
        memcpy(y + from, &four, sizeof four);
    }
    if (p->activation_min > INT8_MIN || p->activation_max < INT8_MAX) {
        nacre_clamp_bytes(y, p->channels, p->activation_min, p->activation_max);
    }
}

NACRE_CODE
static void pool(const int8_t *input, int8_t *output, const nacre_pool2d_params_t *p,
                 nacre_rows_t rows)
{
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t iy = oy * p->stride_h - p->pad_top;
        int8_t *y = output + (oy % p->output_ring) * p->output_w * p->channels;
        for (int32_t ox = 0; ox < p->output_w; ++ox) {
            const int32_t ix = ox * p->stride_w - p->pad_left;
            const window_t window = {nacre_max(iy, 0), nacre_min(iy + p->kernel_h, p->input_h),
                                     nacre_max(ix, 0), nacre_min(ix + p->kernel_w, p->input_w)};
            pool_pixel(input, y, p, &window);
            y += p->channels;
        }
    }
}
