/* SPDX-License-Identifier: Apache-2.0 */
/* Pads rows with a value. */
#include "nacre_fill.h"

NACRE_CODE
static void pad_row(const uint8_t *x, uint8_t *y, const nacre_pad_params_t *p)
{
    y = nacre_fill_bytes(y, p->lead, p->element, p->value);
    for (int32_t j = 0; j < p->pieces; ++j) {
        y = nacre_fill_bytes(y, p->before, p->element, p->value);
        memcpy(y, x, (size_t)p->run);
        y = nacre_fill_bytes(y + p->run, p->after, p->element, p->value);
        x += p->run;
    }
    nacre_fill_bytes(y, p->trail, p->element, p->value);
}

NACRE_CODE
void nacre_pad(const void *input, void *output, const nacre_pad_params_t *p, nacre_rows_t rows)
{
    const ptrdiff_t input_row = (ptrdiff_t)p->pieces * p->run;
    for (int32_t r = rows.begin; r < rows.end; ++r) {
        uint8_t *y = (uint8_t *)output + (ptrdiff_t)(r % p->output_ring) * p->output_row;
        const int32_t row = r - p->pad_top;
        if (row < 0 || row >= p->input_h) {
            nacre_fill_bytes(y, p->output_row, p->element, p->value);
        } else {
            pad_row((const uint8_t *)input + (row % p->input_ring) * input_row, y, p);
        }
    }
}
