/* SPDX-License-Identifier: Apache-2.0 */
/* Moves runs of bytes row by row, between tensors or rings of rows. */
#include "nacre_move.h"

NACRE_CODE
static void move_row(const uint8_t *from, uint8_t *to, const nacre_move_rows_params_t *p)
{
    for (int32_t j = 0; j < p->pieces; ++j) {
        nacre_copy_run(to, from, p->run);
        from += p->input_pitch;
        to += p->output_pitch;
    }
}

NACRE_CODE
void nacre_move_rows(const void *input, void *output, const nacre_move_rows_params_t *p,
                     nacre_rows_t rows)
{
    const int32_t end = nacre_min(rows.end, p->output_end);
    for (int32_t r = nacre_max(rows.begin, p->output_begin); r < end; ++r) {
        const int32_t row = (p->first_row + r * p->row_step) % p->input_ring;
        move_row((const uint8_t *)input + (ptrdiff_t)row * p->input_row,
                 (uint8_t *)output + (ptrdiff_t)(r % p->output_ring) * p->output_row, p);
    }
}
