/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the convolutions. */
#include "check_conv.h"

/* Taps of an output in its group. */
static int64_t taps_of(const nacre_conv_params_t *p)
{
    return nacre_times3(p->kernel_h, p->kernel_w, p->input_c / p->groups);
}

/* Rows of weights of the 8-bit kernels: up to 64 taps are one piece of at most 64. */
static int64_t rows_of_8(const nacre_conv_params_t *p)
{
    const int64_t taps = taps_of(p);
    if (taps < 0 || (taps <= 64 ? p->weights_pitch > 64 : p->weights_pitch < taps)) {
        return NACRE_BAD;
    }
    return nacre_times(p->output_c, p->weights_pitch);
}

static void fill_integer(nacre_check_t *c, const nacre_conv_view_t *v, int64_t weights)
{
    c->need[0] = nacre_conv_input(v);
    c->need[1] = weights;
    c->need[2] = v->p->output_c;
    c->need[3] = nacre_times(2, v->p->output_c);
    c->need[4] = nacre_conv_output(c, v);
}

int32_t nacre_check_conv2d_8(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view(c);
    if (!nacre_conv_geometry(c, &v) || !nacre_conv_numbers(c)) {
        return 0;
    }
    fill_integer(c, &v, rows_of_8(v.p));
    return 1;
}

int32_t nacre_check_conv2d_16(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view(c);
    if (!nacre_conv_geometry(c, &v) || !nacre_conv_numbers(c)) {
        return 0;
    }
    const int64_t taps = taps_of(v.p);
    fill_integer(c, &v,
                 taps < 0 || v.p->weights_pitch < taps
                     ? NACRE_BAD
                     : nacre_times(v.p->output_c, v.p->weights_pitch));
    return 1;
}

int32_t nacre_check_conv2d_f32(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view_f32(c);
    if (!nacre_conv_geometry(c, &v)) {
        return 0;
    }
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = nacre_times(taps_of(v.p), v.p->output_c);
    c->need[2] = v.p->output_c;
    c->need[3] = nacre_conv_output(c, &v);
    return 1;
}

int32_t nacre_check_conv2d_hybrid(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view_f32(c);
    if (!nacre_conv_geometry(c, &v)) {
        return 0;
    }
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = 2;
    c->need[2] = rows_of_8(v.p);
    c->need[3] = v.p->output_c;
    c->need[4] = v.p->output_c;
    c->need[5] = v.p->output_c;
    c->need[6] = nacre_conv_output(c, &v);
    return 1;
}

/* Sums of weights, which are multiplied by a zero point. */
int32_t nacre_check_conv2d_hybrid_tables(nacre_check_t *c)
{
    const nacre_conv_params_t *const p = (const nacre_conv_params_t *)c->p[0];
    const int32_t *const sums = (const int32_t *)c->content[3];
    return sums != NULL && nacre_all_between(sums, p->output_c, -(1 << 23), 1 << 23);
}
