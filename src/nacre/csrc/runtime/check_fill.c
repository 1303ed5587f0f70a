/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of filling and padding. */
#include "../kernels/nacre_fill.h"
#include "nacre_checks.h"

int32_t nacre_check_fill(nacre_check_t *c)
{
    const nacre_fill_params_t *const p = (const nacre_fill_params_t *)c->p[0];
    c->need[0] = p->bytes;
    return nacre_element_size(p->element) && p->bytes >= 0 && p->bytes % p->element == 0;
}

static int32_t rows_are_apart(const nacre_check_t *c, const nacre_pad_params_t *p,
                              int64_t input_row)
{
    for (int32_t r = c->begin; r < c->end; ++r) {
        const int32_t from = r - p->pad_top;
        if (from >= 0 && from < p->input_h &&
            !nacre_apart(c, 0, (from % p->input_ring) * input_row, input_row, 1,
                         (int64_t)(r % p->output_ring) * p->output_row, p->output_row)) {
            return 0;
        }
    }
    return 1;
}

/* The fields of a row are whole elements and fill it. */
static int32_t row_fits(const nacre_pad_params_t *p)
{
    const int64_t piece = nacre_plus(nacre_plus(p->before, p->run), p->after);
    const int64_t row = nacre_plus(nacre_plus(p->lead, nacre_times(p->pieces, piece)), p->trail);
    return row == p->output_row && (p->pieces <= 1 || piece >= 1) &&
           p->lead % p->element == 0 && p->before % p->element == 0 &&
           p->after % p->element == 0 && p->trail % p->element == 0 &&
           p->output_row % p->element == 0;
}

int32_t nacre_check_pad(nacre_check_t *c)
{
    const nacre_pad_params_t *const p = (const nacre_pad_params_t *)c->p[0];
    const int64_t input_row = nacre_times(p->pieces, p->run);
    c->need[0] = nacre_times(nacre_kept(p->input_ring, p->input_h), input_row);
    c->need[1] = nacre_times(nacre_kept(p->output_ring, c->end), p->output_row);
    return nacre_element_size(p->element) && nacre_between(p->pad_top, -(1 << 24), 1 << 24) &&
           c->need[0] >= 0 && c->need[1] >= 0 && row_fits(p) && rows_are_apart(c, p, input_row);
}
