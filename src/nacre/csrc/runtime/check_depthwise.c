/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the depthwise convolutions; the variant is the number of lanes. */
#include "check_conv.h"

/* Weights, or NACRE_BAD: whole channels, and side by side only as many as there are lanes. */
static int64_t weights_of(const nacre_check_t *c, const nacre_conv_params_t *p)
{
    if (p->output_c % p->input_c != 0 || p->weights_pitch % p->output_c != 0 ||
        (p->weights_pitch != p->output_c && p->weights_pitch > c->variant)) {
        return NACRE_BAD;
    }
    return nacre_times3(p->kernel_h, p->kernel_w, p->weights_pitch);
}

int32_t nacre_check_depthwise(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view(c);
    if (!nacre_conv_geometry(c, &v) || !nacre_conv_numbers(c)) {
        return 0;
    }
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = weights_of(c, v.p);
    c->need[2] = v.p->output_c;
    c->need[3] = nacre_times(2, v.p->output_c);
    c->need[4] = nacre_conv_output(c, &v);
    return 1;
}

int32_t nacre_check_depthwise_f32(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view_f32(c);
    if (!nacre_conv_geometry(c, &v)) {
        return 0;
    }
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = weights_of(c, v.p);
    c->need[2] = v.p->output_c;
    c->need[3] = nacre_conv_output(c, &v);
    return 1;
}

int32_t nacre_check_depthwise_hybrid(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view_f32(c);
    if (!nacre_conv_geometry(c, &v)) {
        return 0;
    }
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = 2;
    c->need[2] = weights_of(c, v.p);
    c->need[3] = v.p->output_c;
    c->need[4] = v.p->output_c;
    c->need[5] = nacre_conv_output(c, &v);
    return 1;
}
