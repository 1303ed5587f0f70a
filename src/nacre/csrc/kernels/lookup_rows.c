/* SPDX-License-Identifier: Apache-2.0 */
/* Moves runs of bytes through a table row by row, between tensors or rings of rows. */
#include "nacre_lookup_rows.h"

NACRE_CODE
static void look_up_row(const uint8_t *from, const uint8_t *table, uint8_t *to,
                        const nacre_move_rows_params_t *p)
{
    for (int32_t j = 0; j < p->pieces; ++j) {
        for (int32_t i = 0; i < p->run; ++i) {
            to[i] = table[from[i]];
        }
        from += p->input_pitch;
        to += p->output_pitch;
    }
}

NACRE_CODE
void nacre_lookup_rows(const void *input, const uint8_t *table, void *output,
                       const nacre_move_rows_params_t *p, nacre_rows_t rows)
{
    const int32_t end = nacre_min(rows.end, p->output_end);
    for (int32_t r = nacre_max(rows.begin, p->output_begin); r < end; ++r) {
        const int32_t row = (p->first_row + r * p->row_step) % p->input_ring;
        look_up_row((const uint8_t *)input + (ptrdiff_t)row * p->input_row, table,
                    (uint8_t *)output + (ptrdiff_t)(r % p->output_ring) * p->output_row, p);
    }
}
