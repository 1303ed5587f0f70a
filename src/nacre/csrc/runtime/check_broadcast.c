/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of elementwise kernels of two inputs. */
#include "../kernels/nacre_elementwise.h"
#include "nacre_checks.h"

/* Elements of an operand: rows, four loops, and a run of which `run` elements are read. */
static int64_t operand(const nacre_check_t *c, const int32_t dims[4], const int32_t strides[4],
                       int64_t run, int32_t row, int32_t ring)
{
    int64_t size = run;
    for (int32_t d = 3; d >= 0; --d) {
        size = nacre_span(dims[d], strides[d], size);
    }
    return nacre_span(nacre_kept(ring, c->end), row, size);
}

static int64_t product(const int32_t dims[4], int32_t run)
{
    return nacre_times(nacre_times4(dims[0], dims[1], dims[2], dims[3]), run);
}

int32_t nacre_check_broadcast(nacre_check_t *c)
{
    const nacre_broadcast_t *const p = (const nacre_broadcast_t *)c->p[0];
    if (!nacre_all_between(p->dims, 4, 1, INT32_MAX) || p->run < 1 ||
        !nacre_between(p->first_step, 0, 1) || !nacre_between(p->second_step, 0, 1)) {
        return 0;
    }
    /* An operand of step 0 is walked all the same where the other one repeats. */
    const int64_t first = p->first_step != 0 || p->second_step == 0 ? p->run : 1;
    const int64_t second = p->second_step != 0 || p->first_step == 0 ? p->run : 1;
    c->need[0] = operand(c, p->dims, p->first_strides, first, p->first_row, p->first_ring);
    c->need[1] = operand(c, p->dims, p->second_strides, second, p->second_row, p->second_ring);
    c->need[2] = nacre_span(nacre_kept(p->output_ring, c->end), p->output_row,
                            product(p->dims, p->run));
    return 1;
}
