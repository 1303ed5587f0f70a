/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of reductions and what runs along an axis. */
#include "../kernels/nacre_arg.h"
#include "../kernels/nacre_cumsum.h"
#include "../kernels/nacre_lrn.h"
#include "../kernels/nacre_reduce.h"
#include "nacre_checks.h"

/* variant 1: products, in 64 bits. */
int32_t nacre_check_reduce(nacre_check_t *c)
{
    const nacre_reduce_params_t *const p = (const nacre_reduce_params_t *)c->p[0];
    if (!nacre_all_between(p->kept_size, 3, 1, INT32_MAX) || p->inner < 1 || p->count < 1 ||
        !nacre_all_between(p->reduced_size, 3, 1, INT32_MAX)) {
        return 0;
    }
    /* Where one value is left, the last axis that is reduced has neighbours. */
    int64_t reach = nacre_span(p->reduced_size[2], p->inner == 1 ? 1 : p->reduced_stride[2],
                               p->inner);
    reach = nacre_span(p->reduced_size[1], p->reduced_stride[1], reach);
    reach = nacre_span(p->reduced_size[0], p->reduced_stride[0], reach);
    for (int32_t i = 2; i >= 0; --i) {
        reach = nacre_span(p->kept_size[i], p->kept_stride[i], reach);
    }
    c->need[0] = reach;
    c->need[1] = nacre_times4(p->kept_size[0], p->kept_size[1], p->kept_size[2], p->inner);
    /* Each input is read once. */
    const int64_t reduced =
        nacre_times3(p->reduced_size[0], p->reduced_size[1], p->reduced_size[2]);
    return nacre_between(nacre_times(reduced, c->need[1]), 1, reach) &&
           (c->variant == 1 ? nacre_between(p->shift, -31, 14) : nacre_scale_fits(p->shift)) &&
           nacre_small(p->output_offset);
}

static int32_t lines(nacre_check_t *c, int32_t outer, int32_t size, int32_t inner)
{
    c->need[0] = nacre_times3(outer, size, inner);
    c->need[1] = c->need[0];
    return outer >= 0 && size >= 1 && inner >= 1;
}

int32_t nacre_check_cumsum(nacre_check_t *c)
{
    const nacre_cumsum_params_t *const p = (const nacre_cumsum_params_t *)c->p[0];
    return lines(c, p->outer, p->size, p->inner);
}

int32_t nacre_check_cumsum_s8(nacre_check_t *c)
{
    const nacre_cumsum_s8_params_t *const p = (const nacre_cumsum_s8_params_t *)c->p[0];
    return lines(c, p->outer, p->size, p->inner) && nacre_shift_fits(p->shift) &&
           nacre_between(p->input_offset, -255, 255) && nacre_small(p->output_offset);
}

int32_t nacre_check_arg(nacre_check_t *c)
{
    const nacre_arg_params_t *const p = (const nacre_arg_params_t *)c->p[0];
    const int32_t possible = lines(c, p->outer, p->size, p->inner);
    c->need[1] = nacre_times3(p->outer, p->inner, p->index_words);
    return possible && nacre_between(p->index_words, 1, 2);
}

int32_t nacre_check_lrn(nacre_check_t *c)
{
    const nacre_lrn_params_t *const p = (const nacre_lrn_params_t *)c->p[0];
    c->need[0] = nacre_times(p->pixels, p->channels);
    c->need[1] = c->need[0];
    return p->pixels >= 0 && p->channels >= 0 && nacre_between(p->radius, 0, p->channels);
}
