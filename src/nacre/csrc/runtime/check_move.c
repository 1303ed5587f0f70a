/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of copies and strided moves. */
#include "../kernels/nacre_move.h"
#include "nacre_checks.h"

int32_t nacre_check_copy(nacre_check_t *c)
{
    c->need[0] = c->number[0];
    c->need[1] = c->number[0];
    return c->number[0] >= 0;
}

/* How far a nest of loops goes forward and back from its first piece. */
static void nest(nacre_check_t *c, int32_t pointer, const int32_t dims[6], const int32_t steps[6],
                 int64_t run)
{
    c->need[pointer] = run;
    c->below[pointer] = 0;
    for (int32_t d = 0; d < 6; ++d) {
        const int64_t step = steps[d];
        /* All dims steps: where the cursor stands before it goes back. */
        const int64_t far = nacre_times(dims[d], step < 0 ? -step : step);
        const int64_t last = far < 0 ? NACRE_BAD : far - (step < 0 ? -step : step);
        if (step < 0) {
            c->below[pointer] = nacre_plus(c->below[pointer], last);
        } else {
            c->need[pointer] = nacre_plus(c->need[pointer], last);
        }
    }
}

/* Where the piece of the loops at `at` begins. */
static int64_t piece_at(const int32_t steps[6], const int32_t at[6])
{
    int64_t offset = 0;
    for (int32_t d = 0; d < 6; ++d) {
        offset += (int64_t)at[d] * steps[d];
    }
    return offset;
}

/* Input and output may be parts of one tensor: then all pieces are looked at. */
static int32_t pieces_are_apart(const nacre_check_t *c, const nacre_move_params_t *p, int64_t run)
{
    int32_t at[6] = {0, 0, 0, 0, 0, 0};
    int32_t d = 5;
    if (nacre_apart(c, 0, -c->below[0], c->need[0] + c->below[0], 1, -c->below[1],
                    c->need[1] + c->below[1])) {
        return 1;
    }
    while (d >= 0) {
        if (!nacre_apart(c, 0, piece_at(p->input_strides, at), run, 1,
                         piece_at(p->output_strides, at), run)) {
            return 0;
        }
        for (d = 5; d >= 0 && ++at[d] == p->dims[d]; --d) {
            at[d] = 0;
        }
    }
    return 1;
}

int32_t nacre_check_move(nacre_check_t *c)
{
    const nacre_move_params_t *const p = (const nacre_move_params_t *)c->p[0];
    const int64_t run = c->variant != 0 ? c->variant : p->run;
    if (!nacre_all_between(p->dims, 6, 1, INT32_MAX) || run < 1) {
        return 0;
    }
    nest(c, 0, p->dims, p->input_strides, run);
    nest(c, 1, p->dims, p->output_strides, run);
    /* Each byte of the output is written once. */
    const int64_t outer = nacre_times4(p->dims[0], p->dims[1], p->dims[2], p->dims[3]);
    const int64_t bytes = nacre_times4(outer, p->dims[4], p->dims[5], run);
    return nacre_between(bytes, 1, nacre_plus(c->need[1], c->below[1])) && c->need[0] >= 0 &&
           c->below[0] >= 0 && c->need[1] >= 0 && c->below[1] >= 0 && pieces_are_apart(c, p, run);
}
