/* SPDX-License-Identifier: Apache-2.0 */
/* Check of the choice between two values. */
#include "../kernels/nacre_select.h"
#include "nacre_checks.h"

int32_t nacre_check_select(nacre_check_t *c)
{
    const nacre_select_params_t *const p = (const nacre_select_params_t *)c->p[0];
    if (!nacre_all_between(p->dims, 4, 1, 1 << 24) || p->run < 1 ||
        !nacre_all_between(p->steps, 3, 0, 1)) {
        return 0;
    }
    for (int32_t n = 0; n < 3; ++n) {
        int64_t size = nacre_span(p->run, p->steps[n], 1);
        for (int32_t d = 3; d >= 0; --d) {
            size = nacre_span(p->dims[d], p->strides[4 * n + d], size);
        }
        c->need[n] = nacre_span(nacre_kept(p->ring[n], c->end), p->row[n], size);
    }
    c->need[3] = nacre_span(
        nacre_kept(p->output_ring, c->end), p->output_row,
        nacre_times(nacre_times4(p->dims[0], p->dims[1], p->dims[2], p->dims[3]), p->run));
    return 1;
}
