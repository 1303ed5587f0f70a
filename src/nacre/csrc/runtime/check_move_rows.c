/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of moves row by row: rows do not overlap the rows that they come from. */
#include "../kernels/nacre_move.h"
#include "nacre_checks.h"

/* The rows that are moved: those of the window between output_begin and output_end. */
static int32_t first_row(const nacre_check_t *c, const nacre_move_rows_params_t *p)
{
    return c->begin > p->output_begin ? c->begin : p->output_begin;
}

static int32_t end_row(const nacre_check_t *c, const nacre_move_rows_params_t *p)
{
    return c->end < p->output_end ? c->end : p->output_end;
}

/* Pieces go forward from the first one, or, with a negative pitch, backward. */
static int64_t pieces_after(int32_t pieces, int32_t pitch, int32_t run)
{
    return nacre_span(pieces, pitch < 0 ? 0 : pitch, run);
}

static int64_t pieces_before(int32_t pieces, int32_t pitch)
{
    return pitch >= 0 ? 0 : nacre_span(pieces, -(int64_t)pitch, 0);
}

static int32_t rows_are_apart(const nacre_check_t *c, const nacre_move_rows_params_t *p,
                              int32_t output)
{
    const int64_t before = pieces_before(p->pieces, p->input_pitch);
    const int64_t size = before + pieces_after(p->pieces, p->input_pitch, p->run);
    const int64_t output_size = nacre_span(p->pieces, p->output_pitch, p->run);
    for (int32_t r = first_row(c, p); r < end_row(c, p); ++r) {
        const int64_t from = (p->first_row + r * p->row_step) % p->input_ring;
        if (!nacre_apart(c, 0, from * p->input_row - before, size, output,
                         (int64_t)(r % p->output_ring) * p->output_row, output_size)) {
            return 0;
        }
    }
    return 1;
}

static int32_t check(nacre_check_t *c, int32_t output, int32_t copies)
{
    const nacre_move_rows_params_t *const p = (const nacre_move_rows_params_t *)c->p[0];
    const int64_t begin = first_row(c, p);
    const int64_t end = end_row(c, p);
    const int64_t first = p->first_row + begin * p->row_step;
    const int64_t last = p->first_row + (end - 1) * p->row_step;
    c->need[0] = nacre_span(nacre_kept(p->input_ring, INT32_MAX), p->input_row,
                            pieces_after(p->pieces, p->input_pitch, p->run));
    c->below[0] = pieces_before(p->pieces, p->input_pitch);
    c->need[output] = nacre_span(nacre_kept(p->output_ring, c->end), p->output_row,
                                 nacre_span(p->pieces, p->output_pitch, p->run));
    const int32_t inside =
        begin >= end || (nacre_between(first, 0, INT32_MAX) && nacre_between(last, 0, INT32_MAX));
    const int32_t possible =
        p->run >= 1 && (p->pieces <= 1 || p->output_pitch >= p->run) && c->need[0] >= 0 &&
        c->below[0] >= 0 && c->need[output] >= 0;
    return inside && possible && (!copies || rows_are_apart(c, p, output));
}

int32_t nacre_check_move_rows(nacre_check_t *c) { return check(c, 1, 1); }

int32_t nacre_check_lookup_rows(nacre_check_t *c)
{
    c->need[1] = 256;
    return check(c, 2, 0);
}
