/* SPDX-License-Identifier: Apache-2.0 */
/* The walk that all pools share. The including file defines POOL_NAME, POOL_ELEMENT (x and y),
 * POOL_PARAMS, POOL_SUM (type of the accumulators) and the functions
 *   POOL_SUM first(void), POOL_SUM add(POOL_SUM, POOL_ELEMENT),
 *   POOL_ELEMENT finish(POOL_SUM, int32_t taps, const POOL_PARAMS *). */

/* Channels that are accumulated side by side: 128 bytes of accumulators at most. */
enum { POOL_BLOCK = 32 };

/* The part of a window that is inside the input: rows [top, bottom), columns [left, right). */
typedef struct {
    int32_t top;
    int32_t bottom;
    int32_t left;
    int32_t right;
} window_t;

NACRE_CODE
static void pool_block(const POOL_ELEMENT *input, POOL_ELEMENT *output, const POOL_PARAMS *p,
                       const window_t *window, int32_t width)
{
    const int32_t taps = (window->bottom - window->top) * (window->right - window->left);
    POOL_SUM sums[POOL_BLOCK];
    for (int32_t c = 0; c < width; ++c) {
        sums[c] = first();
    }
    for (int32_t iy = window->top; iy < window->bottom; ++iy) {
        const POOL_ELEMENT *x =
            input + (size_t)(((iy % p->input_ring) * p->input_w + window->left) * p->channels);
        for (int32_t ix = window->left; ix < window->right; ++ix) {
            for (int32_t c = 0; c < width; ++c) {
                sums[c] = add(sums[c], x[c]);
            }
            x += p->channels;
        }
    }
    for (int32_t c = 0; c < width; ++c) {
        output[c] = finish(sums[c], taps, p);
    }
}

NACRE_CODE
void POOL_NAME(const POOL_ELEMENT *input, POOL_ELEMENT *output, const POOL_PARAMS *p,
               nacre_rows_t rows)
{
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t iy = oy * p->stride_h - p->pad_top;
        POOL_ELEMENT *y = output + (size_t)((oy % p->output_ring) * p->output_w * p->channels);
        for (int32_t ox = 0; ox < p->output_w; ++ox) {
            const int32_t ix = ox * p->stride_w - p->pad_left;
            const window_t window = {nacre_max(iy, 0), nacre_min(iy + p->kernel_h, p->input_h),
                                     nacre_max(ix, 0), nacre_min(ix + p->kernel_w, p->input_w)};
            for (int32_t c = 0; c < p->channels; c += POOL_BLOCK) {
                pool_block(input + c, y + c, p, &window, nacre_min(p->channels - c, POOL_BLOCK));
            }
            y += p->channels;
        }
    }
}
