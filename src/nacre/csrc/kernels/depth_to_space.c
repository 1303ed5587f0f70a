/* SPDX-License-Identifier: Apache-2.0 */
/* Moves channels to blocks of rows and columns. */
#include "nacre_space.h"

NACRE_CODE
void nacre_depth_to_space(const void *input, void *output, const nacre_space_depth_params_t *p,
                          nacre_rows_t rows)
{
    const ptrdiff_t output_row = (ptrdiff_t)p->width * p->pixel;
    for (int32_t h = rows.begin; h < rows.end; ++h) {
        const int32_t row = (h / p->block) % p->input_ring;
        const uint8_t *x = (const uint8_t *)input + row * output_row * p->block;
        uint8_t *y = (uint8_t *)output + (h % p->output_ring) * output_row;
        x += (ptrdiff_t)(h % p->block) * p->pixel;
        for (int32_t w = 0; w < p->width; ++w) {
            nacre_copy_run(y, x, p->pixel);
            x += (ptrdiff_t)p->block * p->pixel;
            y += p->pixel;
        }
    }
}
