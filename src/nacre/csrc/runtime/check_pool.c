/* SPDX-License-Identifier: Apache-2.0 */
/* Check of the pools: every window has at least one tap. */
#include "../kernels/nacre_pool.h"
#include "nacre_checks.h"

enum { FAR = 1 << 24 };

/* Windows [first, last] of a dimension meet the input. */
static int32_t meets(int64_t first, int64_t last, int64_t stride, int64_t pad, int64_t kernel,
                     int64_t size)
{
    return first > last || (first * stride - pad + kernel > 0 && last * stride - pad < size);
}

/* The two parameter structs begin alike; only the limits differ in type. */
int32_t nacre_check_pool(nacre_check_t *c)
{
    const nacre_pool2d_params_t *const p = (const nacre_pool2d_params_t *)c->p[0];
    c->need[0] = nacre_times3(nacre_kept(p->input_ring, p->input_h), p->input_w, p->channels);
    c->need[1] = nacre_times3(nacre_kept(p->output_ring, c->end), p->output_w, p->channels);
    /* input_h to stride_w follow each other. */
    return nacre_all_between(&p->input_h, 8, 1, FAR) && nacre_between(p->pad_top, -FAR, FAR) &&
           nacre_between(p->pad_left, -FAR, FAR) &&
           nacre_plus(nacre_times(c->end, p->stride_h), 2 * (int64_t)FAR) >= 0 &&
           nacre_plus(nacre_times(p->output_w, p->stride_w), 2 * (int64_t)FAR) >= 0 &&
           meets(c->begin, (int64_t)c->end - 1, p->stride_h, p->pad_top, p->kernel_h, p->input_h) &&
           meets(0, (int64_t)p->output_w - 1, p->stride_w, p->pad_left, p->kernel_w, p->input_w);
}

int32_t nacre_check_pool_dsp(nacre_check_t *c)
{
    const nacre_pool2d_params_t *const p = (const nacre_pool2d_params_t *)c->p[0];
    return p->channels >= 4 && nacre_check_pool(c);
}
