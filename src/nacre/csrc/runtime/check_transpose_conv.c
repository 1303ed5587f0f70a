/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the transposed convolutions. */
#include "check_conv.h"

/* Pads only cut: output coordinates plus pad are never negative. */
static int32_t is_possible(const nacre_check_t *c, const nacre_conv_view_t *v)
{
    return nacre_conv_geometry(c, v) && v->p->pad_top >= 0 && v->p->pad_left >= 0;
}

static int64_t rows_of_weights(const nacre_conv_params_t *p)
{
    const int64_t taps = nacre_times3(p->kernel_h, p->kernel_w, p->input_c);
    return taps < 0 || p->weights_pitch < taps ? NACRE_BAD
                                               : nacre_times(p->output_c, p->weights_pitch);
}

int32_t nacre_check_transpose_conv(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view(c);
    if (!is_possible(c, &v) || !nacre_conv_numbers(c)) {
        return 0;
    }
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = rows_of_weights(v.p);
    c->need[2] = v.p->output_c;
    c->need[3] = nacre_times(2, v.p->output_c);
    c->need[4] = nacre_conv_output(c, &v);
    return 1;
}

int32_t nacre_check_transpose_conv_f32(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view_f32(c);
    if (!is_possible(c, &v)) {
        return 0;
    }
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = nacre_times4(v.p->kernel_h, v.p->kernel_w, v.p->input_c, v.p->output_c);
    c->need[2] = v.p->output_c;
    c->need[3] = nacre_conv_output(c, &v);
    return 1;
}

int32_t nacre_check_transpose_conv_hybrid(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view_f32(c);
    if (!is_possible(c, &v)) {
        return 0;
    }
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = 2;
    c->need[2] = rows_of_weights(v.p);
    c->need[3] = v.p->output_c;
    c->need[4] = v.p->output_c;
    c->need[5] = nacre_conv_output(c, &v);
    return 1;
}
