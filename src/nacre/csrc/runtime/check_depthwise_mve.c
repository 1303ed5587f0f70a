/* SPDX-License-Identifier: Apache-2.0 */
/* Check of the 3x3 depthwise convolutions for Helium; the variant is the stride. */
#include "../kernels/nacre_depthwise_mve.h"
#include "nacre_checks.h"

enum { FAR = 1 << 20 };

/* Planes of a group and masks, for outputs `across` and `down`. */
static int64_t planes(const nacre_check_t *c, int64_t group, int64_t across, int64_t down)
{
    /* Stride 1: two patches of 2x2 outputs to a turn; stride 2: eight of one output. */
    const int64_t turn = c->variant == 1 ? 2 : 8;
    const int64_t wide = c->variant == 1 ? 2 : 1;
    const int64_t turns = (across + turn * wide - 1) / (turn * wide);
    const int64_t rows = (down + wide - 1) / wide;
    const int64_t plane = nacre_times3(4, nacre_plus(nacre_times(turn, turns), 1), rows + 1);
    return nacre_plus(nacre_times(group, plane), nacre_times3(4, rows, turns));
}

int32_t nacre_check_depthwise_mve(nacre_check_t *c)
{
    const nacre_depthwise_mve_params_t *const p = (const nacre_depthwise_mve_params_t *)c->p[0];
    const int64_t count = nacre_kept(p->output_ring, c->end);
    const int32_t group = p->group;
    if (!nacre_all_between(&p->input_h, 4, 1, FAR) || !nacre_between(p->pad_top, 0, FAR) ||
        !nacre_between(p->pad_left, 0, FAR) || count < 0 || nacre_kept(p->input_ring, 1) != 1 ||
        (group != 1 && group != 2 && group != 4 && group != 8) ||
        !nacre_between(p->general, 0, 2) || nacre_plus(nacre_times(c->end, 2), 2 * FAR) < 0) {
        return 0;
    }
    /* The rows that are read together are all there. */
    const int64_t read = (count - 1) * c->variant + 3;
    const int64_t wide = planes(c, group, p->output_w, count);
    const int64_t tall = planes(c, group, count, p->output_w);
    c->need[0] = nacre_times3(nacre_kept(p->input_ring, p->input_h), p->input_w, p->channels);
    c->need[1] = nacre_times(p->channels, p->general != 0 ? 32 : 24);
    c->need[2] = nacre_times3(count, p->output_w, p->channels);
    c->need[3] = wide < 0 || tall < 0 ? NACRE_BAD : wide > tall ? wide : tall;
    c->alignment[1] = 4;
    c->alignment[3] = 4;
    return p->input_ring >= p->input_h || p->input_ring >= read;
}
