/* SPDX-License-Identifier: Apache-2.0 */
/* Check of the products of matrices. */
#include "../kernels/nacre_batch_matmul.h"
#include "nacre_checks.h"

/* Elements of an operand: batches, and `a` by `b` elements that lie a_step and b_step apart. */
static int64_t operand(const nacre_matmul_shape_t *p, const int32_t steps[3], int64_t matrix)
{
    int64_t size = matrix;
    for (int32_t i = 2; i >= 0; --i) {
        size = nacre_span(p->batches[i], steps[i], size);
    }
    return size;
}

/* variant 1: with a scale. */
int32_t nacre_check_batch_matmul(nacre_check_t *c)
{
    const nacre_matmul_shape_t *const p = (const nacre_matmul_shape_t *)c->p[0];
    const nacre_matmul_scale_t *const s = (const nacre_matmul_scale_t *)c->p[1];
    if (!nacre_all_between(p->batches, 3, 1, INT32_MAX) || p->rows < 1 || p->columns < 1 ||
        p->depth < 1 || p->x_depth_step < 1 || p->z_depth_step < 1) {
        return 0;
    }
    const int64_t batches = nacre_times3(p->batches[0], p->batches[1], p->batches[2]);
    const int64_t x = nacre_span(p->depth, p->x_depth_step, 1);
    const int64_t z = nacre_span(p->columns, p->z_column_step, 1);
    c->need[0] = operand(p, p->x_batch_steps, nacre_span(p->rows, p->x_row_step, x));
    c->need[1] = operand(p, p->z_batch_steps, nacre_span(p->depth, p->z_depth_step, z));
    c->need[2] = nacre_times3(batches, p->rows, p->columns);
    return c->variant == 0 ||
           (nacre_between(s->x_offset, -255, 255) && nacre_between(s->z_offset, -255, 255) &&
            nacre_small(s->output_offset) &&
            (c->variant == 2 ? nacre_between(s->shift, -31, 14) : nacre_scale_fits(s->shift)));
}
