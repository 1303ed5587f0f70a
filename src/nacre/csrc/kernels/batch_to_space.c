/* SPDX-License-Identifier: Apache-2.0 */
/* Moves batches to blocks of rows and columns, cropped. */
#include "nacre_space.h"

/* One output row of image n; `image` is the size of an input image. */
NACRE_CODE
static uint8_t *merge_row(const uint8_t *x, int32_t n, int32_t h, uint8_t *y, ptrdiff_t image,
                          const nacre_space_batch_params_t *p)
{
    const int32_t sh = (h + p->top) % p->block_h;
    const ptrdiff_t row = (ptrdiff_t)((h + p->top) / p->block_h) * p->input_w * p->pixel;
    for (int32_t w = 0; w < p->output_w; ++w) {
        const int32_t sw = (w + p->left) % p->block_w;
        const int32_t batch = (sh * p->block_w + sw) * p->batches + n;
        const ptrdiff_t column = (ptrdiff_t)((w + p->left) / p->block_w) * p->pixel;
        nacre_copy_run(y, x + batch * image + row + column, p->pixel);
        y += p->pixel;
    }
    return y;
}

NACRE_CODE
void nacre_batch_to_space(const void *input, void *output, const nacre_space_batch_params_t *p)
{
    const ptrdiff_t image = (ptrdiff_t)p->input_h * p->input_w * p->pixel;
    uint8_t *y = (uint8_t *)output;
    for (int32_t n = 0; n < p->batches; ++n) {
        for (int32_t h = 0; h < p->output_h; ++h) {
            y = merge_row((const uint8_t *)input, n, h, y, image, p);
        }
    }
}
