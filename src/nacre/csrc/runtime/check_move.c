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

int32_t nacre_check_move(nacre_check_t *c)
{
    const nacre_move_params_t *const p = (const nacre_move_params_t *)c->p[0];
    const int64_t run = c->variant != 0 ? c->variant : p->run;
    if (!nacre_all_between(p->dims, 6, 1, INT32_MAX) || run < 0) {
        return 0;
    }
    nest(c, 0, p->dims, p->input_strides, run);
    nest(c, 1, p->dims, p->output_strides, run);
    return 1;
}
