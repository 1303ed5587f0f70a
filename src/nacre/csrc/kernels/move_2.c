/* SPDX-License-Identifier: Apache-2.0 */
/* A strided move of single pieces of 2 bytes. */
#include "nacre_move.h"

NACRE_CODE
static void plane(const uint8_t *x, uint8_t *y, const nacre_move_params_t *p)
{
    const ptrdiff_t input_step = p->input_strides[5];
    const ptrdiff_t output_step = p->output_strides[5];
    for (int32_t i = 0; i < p->dims[4]; ++i) {
        const uint8_t *from = x + (ptrdiff_t)i * p->input_strides[4];
        uint8_t *to = y + (ptrdiff_t)i * p->output_strides[4];
        for (int32_t j = 0; j < p->dims[5]; ++j) {
            memcpy(to, from, 2);
            from += input_step;
            to += output_step;
        }
    }
}

NACRE_CODE
void nacre_move_2(const void *input, void *output, const nacre_move_params_t *p)
{
    nacre_move_cursor_t at = {0, 0, {0, 0, 0, 0}};
    do {
        plane((const uint8_t *)input + at.input, (uint8_t *)output + at.output, p);
    } while (nacre_move_next(&at, p));
}
