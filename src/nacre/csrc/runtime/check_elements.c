/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of picking and replacing single elements, and of the largest ones. */
#include "../kernels/nacre_elements.h"
#include "../kernels/nacre_top_k.h"
#include "nacre_checks.h"

/* Bytes of the data that places stand for; the kernels bring indices into range. */
static int64_t data_bytes(const nacre_elements_params_t *p)
{
    int64_t reach = nacre_span(p->axis_size, p->axis_stride, 1);
    for (int32_t d = 0; d < 6; ++d) {
        reach = nacre_span(p->dims[d], p->strides[d], reach);
    }
    return nacre_times(reach, p->item);
}

static int64_t index_bytes(const nacre_elements_params_t *p)
{
    int64_t reach = 1;
    for (int32_t d = 0; d < 6; ++d) {
        reach = nacre_span(p->dims[d], p->index_strides[d], reach);
    }
    return nacre_times(reach, p->index_bytes);
}

static int64_t place_bytes(const nacre_elements_params_t *p)
{
    const int64_t outer = nacre_times4(p->dims[0], p->dims[1], p->dims[2], p->dims[3]);
    return nacre_times4(outer, p->dims[4], p->dims[5], p->item);
}

static int32_t is_possible(const nacre_elements_params_t *p)
{
    return nacre_all_between(p->dims, 6, 1, INT32_MAX) && p->axis_size >= 1 &&
           nacre_element_size(p->item) && (p->index_bytes == 4 || p->index_bytes == 8) &&
           place_bytes(p) >= 0;
}

int32_t nacre_check_gather_elements(nacre_check_t *c)
{
    const nacre_elements_params_t *const p = (const nacre_elements_params_t *)c->p[0];
    c->need[0] = data_bytes(p);
    c->need[1] = index_bytes(p);
    c->need[2] = place_bytes(p);
    return is_possible(p);
}

/* The variant is the size of an element of the pointers' types. */
int32_t nacre_check_scatter_elements(nacre_check_t *c)
{
    const nacre_elements_params_t *const p = (const nacre_elements_params_t *)c->p[0];
    if (!is_possible(p) || p->bytes < 0 || p->bytes % c->variant != 0 ||
        (c->variant != 1 && p->item != c->variant)) {
        return 0;
    }
    c->need[0] = p->bytes / c->variant;
    c->need[1] = index_bytes(p);
    c->need[2] = place_bytes(p) / c->variant;
    c->need[3] = p->bytes / c->variant;
    const int64_t reach = data_bytes(p);
    return reach >= 0 && reach <= p->bytes && c->need[1] >= 0 &&
           (c->place[0] == c->place[3] || nacre_apart(c, 0, 0, p->bytes, 3, 0, p->bytes)) &&
           nacre_apart(c, 1, 0, c->need[1], 3, 0, p->bytes) &&
           nacre_apart(c, 2, 0, place_bytes(p), 3, 0, p->bytes);
}

int32_t nacre_check_top_k(nacre_check_t *c)
{
    const nacre_top_k_params_t *const p = (const nacre_top_k_params_t *)c->p[0];
    c->need[0] = nacre_times(p->rows, p->size);
    c->need[1] = nacre_times(p->rows, p->count);
    c->need[2] = c->need[1];
    return p->rows >= 0 && p->size >= 1 && nacre_between(p->count, 1, p->size);
}
