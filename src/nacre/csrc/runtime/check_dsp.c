/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the int8 kernels for the DSP extension whose constants are streams of words. */
#include "../kernels/nacre_conv.h"
#include "../kernels/nacre_fully_connected.h"
#include "check_conv.h"

static int32_t is_possible(const nacre_check_t *c, const nacre_conv_view_t *v)
{
    return nacre_conv_geometry(c, v) && nacre_conv_numbers(c) && v->p->pad_top >= 0 &&
           v->p->pad_left >= 0;
}

/* Some tap of some output lies to the left or right of the input, or taps are apart. */
static int32_t crosses(const nacre_conv_params_t *p)
{
    const int64_t last = ((int64_t)p->output_w - 1) * p->stride_w - p->pad_left;
    const int32_t apart = p->dilation_w > 1 && p->kernel_w > 1;
    return apart || p->pad_left > 0 || last + p->kernel_w > p->input_w;
}

/* The variant is the number of words for four taps of a channel. */
int32_t nacre_check_conv2d_dsp(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view(c);
    const nacre_conv_params_t *const p = v.p;
    if (!is_possible(c, &v) || p->output_c < 2) {
        return 0;
    }
    const int64_t run = nacre_times(p->kernel_w, p->input_c);
    const int64_t groups = run < 0 ? NACRE_BAD : nacre_times(p->kernel_h, (run + 3) / 4);
    const int64_t pitch = nacre_plus(8, nacre_times3(2, c->variant, groups));
    c->need[0] = nacre_times3(p->input_ring, p->input_w, p->input_c);
    c->need[1] = nacre_times(((int64_t)p->output_c + 1) / 2, pitch);
    c->need[2] = nacre_conv_output(c, &v);
    c->need[3] = nacre_plus(nacre_times(4, groups), crosses(p) ? (run + 3) / 4 : 0);
    return groups >= 1 && p->weights_pitch == pitch;
}

/* The variant is the number of words for four inputs of an output. */
int32_t nacre_check_fully_connected_dsp(nacre_check_t *c)
{
    const nacre_fully_connected_params_t *const p =
        (const nacre_fully_connected_params_t *)c->p[0];
    if (!nacre_all_between(&p->batches, 3, 1, 1 << 24) || p->inputs < 4 ||
        !nacre_between(p->scale_step, 0, 1)) {
        return 0;
    }
    const int64_t fours = ((int64_t)p->outputs + 3) / 4;
    const int64_t words = nacre_times3(4, c->variant, ((int64_t)p->inputs + 3) / 4);
    c->need[0] = nacre_times(p->batches, p->inputs);
    c->need[1] = nacre_times(fours, nacre_plus(4, words));
    c->need[2] = p->scale_step != 0 ? nacre_times(12, fours) : 3;
    c->need[3] = nacre_times(p->batches, p->outputs);
    return 1;
}

/* Some tap of some output lies outside the input. */
static int32_t has_padding(const nacre_check_t *c, const nacre_conv_params_t *p)
{
    const int64_t bottom = ((int64_t)c->end - 1) * p->stride_h - p->pad_top +
                           ((int64_t)p->kernel_h - 1) * p->dilation_h;
    const int64_t right = ((int64_t)p->output_w - 1) * p->stride_w - p->pad_left +
                          ((int64_t)p->kernel_w - 1) * p->dilation_w;
    return p->pad_top > 0 || p->pad_left > 0 || bottom >= p->input_h || right >= p->input_w;
}

/* The variant is the number of words for a tap of four channels, and 4 more for the 3x3 kernels. */
int32_t nacre_check_depthwise_dsp(nacre_check_t *c)
{
    const nacre_conv_view_t v = nacre_conv_view(c);
    const nacre_conv_params_t *const p = v.p;
    const int32_t pairs = c->variant > 4;
    if (!is_possible(c, &v) || p->output_c < 4 || p->input_c != p->output_c) {
        return 0;
    }
    const int64_t taps = nacre_times(p->kernel_h, p->kernel_w);
    const int64_t pitch = nacre_plus(16, nacre_times(c->variant - 4 * pairs, taps));
    const int64_t pointers = pairs ? 12 : taps;
    c->need[0] = nacre_conv_input(&v);
    c->need[1] = nacre_times(((int64_t)p->output_c + 3) / 4, pitch);
    c->need[2] = nacre_conv_output(c, &v);
    c->need[3] = nacre_plus(pointers, has_padding(c, p) ? ((int64_t)p->input_c + 3) / 4 : 0);
    return taps >= 1 && p->weights_pitch == pitch &&
           (!pairs || (p->kernel_h == 3 && p->kernel_w == 3 && p->stride_w == 1 &&
                       p->dilation_w == 1 && p->output_w >= 2));
}
