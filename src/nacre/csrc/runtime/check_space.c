/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of moves between space, batches and depth. */
#include "../kernels/nacre_space.h"
#include "nacre_checks.h"

enum { FAR = 1 << 24 };

static int64_t images(int64_t count, int64_t h, int64_t w, int64_t pixel)
{
    return nacre_times4(count, h, w, pixel);
}

/* `one` images on the side that is not cut into blocks, `cut` on the other. */
static int32_t sizes(const nacre_space_batch_params_t *p)
{
    return nacre_all_between(&p->batches, 6, 1, FAR) && nacre_between(p->block_h, 1, FAR) &&
           nacre_between(p->block_w, 1, FAR) && nacre_between(p->top, 0, FAR) &&
           nacre_between(p->left, 0, FAR) &&
           nacre_plus(nacre_times(p->output_h, p->block_h), 2 * (int64_t)FAR) >= 0 &&
           nacre_plus(nacre_times(p->output_w, p->block_w), 2 * (int64_t)FAR) >= 0;
}

int32_t nacre_check_space_to_batch(nacre_check_t *c)
{
    const nacre_space_batch_params_t *const p = (const nacre_space_batch_params_t *)c->p[0];
    const int64_t cut = nacre_times3(p->block_h, p->block_w, p->batches);
    c->need[0] = images(p->batches, p->input_h, p->input_w, p->pixel);
    c->need[1] = images(cut, p->output_h, p->output_w, p->pixel);
    return sizes(p) && nacre_element_size(p->element) && p->pixel % p->element == 0;
}

int32_t nacre_check_batch_to_space(nacre_check_t *c)
{
    const nacre_space_batch_params_t *const p = (const nacre_space_batch_params_t *)c->p[0];
    if (!sizes(p)) {
        return 0;
    }
    const int64_t cut = nacre_times3(p->block_h, p->block_w, p->batches);
    c->need[0] = images(cut, p->input_h, p->input_w, p->pixel);
    c->need[1] = images(p->batches, p->output_h, p->output_w, p->pixel);
    return (p->output_h + p->top + p->block_h - 1) / p->block_h <= p->input_h &&
           (p->output_w + p->left + p->block_w - 1) / p->block_w <= p->input_w;
}

/* Rows of `rows` input rows for each output row r, from r * rows or r / block on, are apart. */
static int32_t rows_are_apart(const nacre_check_t *c, const nacre_space_depth_params_t *p,
                              int32_t to_depth)
{
    const int64_t small = (int64_t)p->width * p->pixel;
    const int64_t large = small * p->block;
    for (int32_t r = c->begin; r < c->end; ++r) {
        for (int32_t b = 0; b < (to_depth ? p->block : 1); ++b) {
            const int32_t row = to_depth ? r * p->block + b : r / p->block;
            const int64_t input_row = to_depth ? small : large;
            const int64_t output_row = to_depth ? large : small;
            if (!nacre_apart(c, 0, (row % p->input_ring) * input_row, input_row, 1,
                             (r % p->output_ring) * output_row, output_row)) {
                return 0;
            }
        }
    }
    return 1;
}

static int32_t check(nacre_check_t *c, int32_t to_depth)
{
    const nacre_space_depth_params_t *const p = (const nacre_space_depth_params_t *)c->p[0];
    const int64_t small = nacre_times(p->width, p->pixel);
    const int64_t large = nacre_times(small, p->block);
    if (!nacre_between(p->block, 1, 1 << 12) || large < 1) {
        return 0;
    }
    const int64_t rows = to_depth ? nacre_times(c->end, p->block)
                                  : ((int64_t)c->end + p->block - 1) / p->block;
    c->need[0] = nacre_times(nacre_kept(p->input_ring, rows), to_depth ? small : large);
    c->need[1] = nacre_times(nacre_kept(p->output_ring, c->end), to_depth ? large : small);
    return c->need[0] >= 0 && c->need[1] >= 0 && rows_are_apart(c, p, to_depth);
}

int32_t nacre_check_space_to_depth(nacre_check_t *c) { return check(c, 1); }

int32_t nacre_check_depth_to_space(nacre_check_t *c) { return check(c, 0); }
