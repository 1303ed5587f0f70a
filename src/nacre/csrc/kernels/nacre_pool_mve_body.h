/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the pools with Helium. The including file defines LANES and
 *   block(x, window, p, channels, y)    up to LANES channels of one output */

/* The part of a window that is inside the input: rows [top, bottom), `columns` from `left` on. */
typedef struct {
    int32_t top;
    int32_t bottom;
    int32_t left;
    int32_t columns;
} window_t;

NACRE_CODE
static inline const int8_t *window_row(const int8_t *input, int32_t iy, const window_t *window,
                                       const nacre_pool2d_params_t *p)
{
    const int32_t row = iy < p->input_ring ? iy : iy % p->input_ring;
    return input + (row * p->input_w + window->left) * p->channels;
}

NACRE_CODE
static void block(const int8_t *input, const window_t *window, const nacre_pool2d_params_t *p,
                  int32_t channels, int8_t *y);

NACRE_CODE
static void pool(const int8_t *input, int8_t *output, const nacre_pool2d_params_t *p,
                 nacre_rows_t rows)
{
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t iy = oy * p->stride_h - p->pad_top;
        int8_t *y = output + (oy % p->output_ring) * p->output_w * p->channels;
        for (int32_t ox = 0; ox < p->output_w; ++ox) {
            const int32_t ix = ox * p->stride_w - p->pad_left;
            const int32_t left = nacre_max(ix, 0);
            const window_t window = {nacre_max(iy, 0), nacre_min(iy + p->kernel_h, p->input_h),
                                     left, nacre_min(ix + p->kernel_w, p->input_w) - left};
            for (int32_t c = 0; c < p->channels; c += LANES) {
                block(input + c, &window, p, p->channels - c, y + c);
            }
            y += p->channels;
        }
    }
}
