/* SPDX-License-Identifier: Apache-2.0 */
/* Moves blocks of rows and columns to batches, with padding. */
#include "nacre_space.h"

/* One output row from one input row; the first pixel comes from column `from`. */
NACRE_CODE
static uint8_t *spread_row(const uint8_t *row, int32_t from, uint8_t *y,
                           const nacre_space_batch_params_t *p)
{
    for (int32_t w = 0; w < p->output_w; ++w) {
        const int32_t iw = from + w * p->block_w;
        if (iw < 0 || iw >= p->input_w) {
            nacre_fill_bytes(y, p->pixel, p->element, p->value);
        } else {
            nacre_copy_run(y, row + (ptrdiff_t)iw * p->pixel, p->pixel);
        }
        y += p->pixel;
    }
    return y;
}

NACRE_CODE
static uint8_t *spread_image(const uint8_t *x, int32_t sh, int32_t sw, uint8_t *y,
                             const nacre_space_batch_params_t *p)
{
    for (int32_t h = 0; h < p->output_h; ++h) {
        const int32_t ih = h * p->block_h + sh - p->top;
        if (ih < 0 || ih >= p->input_h) {
            y = nacre_fill_bytes(y, p->output_w * p->pixel, p->element, p->value);
        } else {
            y = spread_row(x + (ptrdiff_t)ih * p->input_w * p->pixel, sw - p->left, y, p);
        }
    }
    return y;
}

NACRE_CODE
void nacre_space_to_batch(const void *input, void *output, const nacre_space_batch_params_t *p)
{
    const ptrdiff_t image = (ptrdiff_t)p->input_h * p->input_w * p->pixel;
    uint8_t *y = (uint8_t *)output;
    for (int32_t sh = 0; sh < p->block_h; ++sh) {
        for (int32_t sw = 0; sw < p->block_w; ++sw) {
            for (int32_t n = 0; n < p->batches; ++n) {
                y = spread_image((const uint8_t *)input + n * image, sh, sw, y, p);
            }
        }
    }
}
