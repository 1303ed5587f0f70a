/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of all convolutions share. */
#include "check_conv.h"

enum { FAR = 1 << 24 };

nacre_conv_view_t nacre_conv_view(const nacre_check_t *c)
{
    const nacre_conv_params_t *const p = (const nacre_conv_params_t *)c->p[0];
    const nacre_conv_view_t view = {p, p->input_ring, p->output_ring};
    return view;
}

nacre_conv_view_t nacre_conv_view_f32(const nacre_check_t *c)
{
    const nacre_conv_float_params_t *const p = (const nacre_conv_float_params_t *)c->p[0];
    const nacre_conv_view_t view = {(const nacre_conv_params_t *)c->p[0], p->input_ring,
                                    p->output_ring};
    return view;
}

/* count * stride + kernel * dilation and a pad stay below 2^31. */
static int32_t reach(int32_t count, int32_t stride, int32_t kernel, int32_t dilation)
{
    const int64_t far = nacre_plus(nacre_times(count, stride), nacre_times(kernel, dilation));
    return nacre_plus(far, 2 * (int64_t)FAR) >= 0;
}

int32_t nacre_conv_geometry(const nacre_check_t *c, const nacre_conv_view_t *v)
{
    const nacre_conv_params_t *const p = v->p;
    /* input_h to dilation_w follow each other. */
    return nacre_all_between(&p->input_h, 11, 1, FAR) &&
           nacre_between(p->pad_top, -FAR, FAR) && nacre_between(p->pad_left, -FAR, FAR) &&
           p->groups >= 1 && p->input_c % p->groups == 0 && p->output_c % p->groups == 0 &&
           p->weights_pitch >= 1 && reach(c->end, p->stride_h, p->kernel_h, p->dilation_h) &&
           reach(p->output_w, p->stride_w, p->kernel_w, p->dilation_w) &&
           nacre_kept(v->input_ring, 1) == 1;
}

int32_t nacre_conv_numbers(const nacre_check_t *c)
{
    const nacre_conv_params_t *const p = (const nacre_conv_params_t *)c->p[0];
    return nacre_small(p->pad_value) && nacre_small(p->weights_offset) &&
           nacre_small(p->output_offset) && nacre_small(p->activation_min) &&
           nacre_small(p->activation_max);
}

int64_t nacre_conv_input(const nacre_conv_view_t *v)
{
    return nacre_times3(nacre_kept(v->input_ring, v->p->input_h), v->p->input_w, v->p->input_c);
}

int64_t nacre_conv_output(const nacre_check_t *c, const nacre_conv_view_t *v)
{
    return nacre_times3(nacre_kept(v->output_ring, c->end), v->p->output_w, v->p->output_c);
}

/* Shifts are the second half of the table at pointer 3. */
int32_t nacre_check_conv_tables(nacre_check_t *c)
{
    const nacre_conv_params_t *const p = (const nacre_conv_params_t *)c->p[0];
    const int32_t *const table = (const int32_t *)c->content[3];
    return table != NULL && nacre_scales_fit(table + p->output_c, p->output_c);
}

int32_t nacre_check_conv_tables_wide(nacre_check_t *c)
{
    const nacre_conv_params_t *const p = (const nacre_conv_params_t *)c->p[0];
    const int32_t *const table = (const int32_t *)c->content[3];
    return table != NULL && nacre_all_between(table + p->output_c, p->output_c, -31, 14) &&
           nacre_biases_fit(c, 2, p->output_c);
}
