/* SPDX-License-Identifier: Apache-2.0 */
/* Check of the int8 fully connected layer for Helium. */
#include "../kernels/nacre_fully_connected.h"
#include "nacre_checks.h"

int32_t nacre_check_fully_connected_mve(nacre_check_t *c)
{
    const nacre_fully_connected_params_t *const p =
        (const nacre_fully_connected_params_t *)c->p[0];
    if (!nacre_all_between(&p->batches, 3, 1, 1 << 24) || !nacre_between(p->scale_step, 0, 1)) {
        return 0;
    }
    const int64_t steps = ((int64_t)p->inputs + 15) / 16;
    const int64_t blocks = ((int64_t)p->outputs + 7) / 8;
    const int64_t fours = p->scale_step != 0 ? ((int64_t)p->outputs + 3) / 4 : 1;
    c->need[0] = nacre_times(p->batches, p->inputs);
    c->need[1] = nacre_times(blocks, nacre_plus(32, nacre_times(128, steps)));
    c->need[2] = nacre_times(12, fours);
    c->need[3] = nacre_times(p->batches, p->outputs);
    c->alignment[1] = 4;
    return 1;
}
