/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what picks by indices; the kernels bring indices into range themselves. */
#include "../kernels/nacre_gather.h"
#include "../kernels/nacre_one_hot.h"
#include "../kernels/nacre_reverse_sequence.h"
#include "../kernels/nacre_update_slice.h"
#include "nacre_checks.h"

int32_t nacre_check_gather(nacre_check_t *c)
{
    const nacre_gather_params_t *const p = (const nacre_gather_params_t *)c->p[0];
    c->need[0] = nacre_times(nacre_times3(p->batches, p->outer, p->size), p->run);
    c->need[1] = nacre_times3(p->batches, p->count, p->index_bytes);
    c->need[2] = nacre_times(nacre_times3(p->batches, p->outer, p->count), p->run);
    return p->batches >= 1 && p->outer >= 1 && p->size >= 1 && p->count >= 0 && p->run >= 1 &&
           nacre_index_size(p->index_bytes);
}

int32_t nacre_check_gather_nd(nacre_check_t *c)
{
    const nacre_gather_nd_params_t *const p = (const nacre_gather_nd_params_t *)c->p[0];
    int64_t reach = p->run;
    if (!nacre_between(p->depth, 0, 6) || !nacre_all_between(p->dims, p->depth, 1, INT32_MAX)) {
        return 0;
    }
    for (int32_t d = 0; d < p->depth; ++d) {
        reach = nacre_span(p->dims[d], p->strides[d], reach);
    }
    c->need[0] = reach;
    c->need[1] = nacre_times3(p->count, p->depth, p->index_bytes);
    c->need[2] = nacre_times(p->count, p->run);
    return p->count >= 0 && p->run >= 1 && nacre_index_size(p->index_bytes);
}

int32_t nacre_check_embedding(nacre_check_t *c)
{
    const nacre_embedding_params_t *const p = (const nacre_embedding_params_t *)c->p[0];
    c->need[0] = nacre_times(p->count, p->index_bytes);
    c->need[1] = nacre_times(p->rows, p->columns);
    c->need[2] = nacre_span(p->rows, p->scale_step, 1);
    c->need[3] = nacre_times(p->count, p->columns);
    return p->rows >= 1 && p->columns >= 0 && p->count >= 0 && nacre_index_size(p->index_bytes);
}

int32_t nacre_check_one_hot(nacre_check_t *c)
{
    const nacre_one_hot_params_t *const p = (const nacre_one_hot_params_t *)c->p[0];
    const int64_t block = nacre_times3(p->depth, p->inner, p->element);
    c->need[0] = nacre_times3(p->outer, p->inner, p->index_bytes);
    c->need[1] = nacre_times(p->outer, block);
    return block >= 0 && nacre_element_size(p->element) &&
           (p->index_bytes == 4 || p->index_bytes == 8);
}

int32_t nacre_check_reverse_sequence(nacre_check_t *c)
{
    const nacre_reverse_sequence_params_t *const p =
        (const nacre_reverse_sequence_params_t *)c->p[0];
    const int64_t slices = nacre_times3(p->first, p->middle, p->second);
    c->need[0] = nacre_times3(p->outer, slices, p->run);
    c->need[1] = nacre_times(p->batch_first != 0 ? p->first : p->second, p->index_bytes);
    c->need[2] = c->need[0];
    return slices >= 0 && p->run >= 1 && p->first < INT32_MAX && p->second < INT32_MAX &&
           nacre_index_size(p->index_bytes);
}

int32_t nacre_check_update_slice(nacre_check_t *c)
{
    const nacre_update_slice_params_t *const p = (const nacre_update_slice_params_t *)c->p[0];
    int64_t reach = p->run;
    int64_t update = p->run;
    if (!nacre_between(p->rank, 0, 6) || p->run < 1 || !nacre_index_size(p->index_bytes) ||
        !nacre_all_between(p->limits, p->rank, 0, INT32_MAX - 1) ||
        !nacre_all_between(p->counts, p->rank, 1, INT32_MAX)) {
        return 0;
    }
    for (int32_t d = 0; d < p->rank; ++d) {
        reach = nacre_plus(reach, nacre_times(p->limits[d], p->strides[d]));
        reach = nacre_span(p->counts[d], p->strides[d], reach);
        update = nacre_times(update, p->counts[d]);
    }
    c->need[0] = p->bytes;
    c->need[1] = update;
    c->need[2] = nacre_times(p->rank, p->index_bytes);
    c->need[3] = p->bytes;
    return reach >= 0 && reach <= p->bytes && update >= 0 &&
           nacre_apart(c, 1, 0, update, 3, 0, p->bytes);
}
