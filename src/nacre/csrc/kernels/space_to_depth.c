/* SPDX-License-Identifier: Apache-2.0 */
/* Moves blocks of rows and columns to channels. */
#include "nacre_space.h"

NACRE_CODE
void nacre_space_to_depth(const void *input, void *output, const nacre_space_depth_params_t *p,
                          nacre_rows_t rows)
{
    const ptrdiff_t input_row = (ptrdiff_t)p->width * p->pixel;
    for (int32_t h = rows.begin; h < rows.end; ++h) {
        uint8_t *y = (uint8_t *)output + (h % p->output_ring) * input_row * p->block;
        for (int32_t b = 0; b < p->block; ++b) {
            const int32_t row = (h * p->block + b) % p->input_ring;
            const uint8_t *x = (const uint8_t *)input + row * input_row;
            for (int32_t w = 0; w < p->width; ++w) {
                nacre_copy_run(y + (ptrdiff_t)(w * p->block + b) * p->pixel, x, p->pixel);
                x += p->pixel;
            }
        }
    }
}
