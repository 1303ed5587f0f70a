/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the float kernels for Helium: weights and biases are in whole vectors. */
#include "../kernels/nacre_elementwise.h"
#include "../kernels/nacre_fully_connected.h"
#include "check_conv.h"

static int64_t eights(int64_t x) { return (x + 7) / 8; }

int32_t nacre_check_conv2d_f32_mve(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view_f32(c);
    if (!nacre_conv_geometry(c, &v) || v.p->groups != 1) {
        return 0;
    }
    const int64_t taps = nacre_times3(v.p->kernel_h, v.p->kernel_w, v.p->input_c);
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = nacre_times3(8, eights(v.p->output_c), taps);
    c->need[2] = nacre_times(8, eights(v.p->output_c));
    c->need[3] = nacre_conv_output(c, &v);
    return 1;
}

int32_t nacre_check_depthwise_f32_mve(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view_f32(c);
    const int64_t filled = ((int64_t)v.p->output_c + 3) / 4 * 4;
    if (!nacre_conv_geometry(c, &v) || v.p->input_c != v.p->output_c ||
        v.p->weights_pitch < filled) {
        return 0;
    }
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = nacre_times3(v.p->kernel_h, v.p->kernel_w, v.p->weights_pitch);
    c->need[2] = filled;
    c->need[3] = nacre_conv_output(c, &v);
    return 1;
}

int32_t nacre_check_fully_connected_f32_mve(nacre_check_t *c)
{
    const nacre_fully_connected_float_params_t *const p =
        (const nacre_fully_connected_float_params_t *)c->p[0];
    c->need[0] = nacre_times(p->batches, p->inputs);
    c->need[1] = nacre_times3(8, eights(p->outputs), p->inputs);
    c->need[2] = nacre_times(8, eights(p->outputs));
    c->need[3] = nacre_times(p->batches, p->outputs);
    return nacre_all_between(&p->batches, 3, 1, 1 << 24);
}

/* Rows of one length; the inner loops are one run. */
int32_t nacre_check_same_shape(nacre_check_t *c)
{
    const nacre_broadcast_t *const p = (const nacre_broadcast_t *)c->p[0];
    c->need[0] = nacre_span(nacre_kept(p->first_ring, c->end), p->first_row, p->output_row);
    c->need[1] = nacre_span(nacre_kept(p->second_ring, c->end), p->second_row, p->output_row);
    c->need[2] = nacre_span(nacre_kept(p->output_ring, c->end), p->output_row, p->output_row);
    return p->output_row >= 1;
}
