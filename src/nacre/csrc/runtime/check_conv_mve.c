/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the int8 convolutions for Helium. */
#include "../kernels/nacre_conv2d_mve.h"
#include "nacre_checks.h"

enum { FAR = 1 << 20, STEP = 16, MOST_STEPS_OF_SHORT = 8 };

/* Sizes, strides and pads are possible, and steps is what the taps need. */
static int32_t geometry(const nacre_check_t *c, const nacre_conv_mve_params_t *p)
{
    const int64_t taps = nacre_times3(p->kernel_h, p->kernel_w, p->input_c);
    const int64_t rows = nacre_plus(nacre_times(c->end, p->stride_h),
                                    nacre_times(p->kernel_h, p->dilation_h));
    return nacre_all_between(&p->input_h, 11, 1, FAR) && p->kernel_h <= NACRE_CONV_MVE_ROWS &&
           nacre_between(p->pad_top, 0, FAR) && nacre_between(p->pad_left, 0, FAR) &&
           nacre_between(p->general, 0, 1) && taps >= 1 && p->steps == (taps + STEP - 1) / STEP &&
           nacre_plus(rows, 2 * FAR) >= 0 && nacre_kept(p->input_ring, 1) == 1;
}

/* Bytes of a padded copy of an input row, as nacre_lines_mve.h has it. */
static int64_t line_pitch(const nacre_conv_mve_params_t *p)
{
    const int64_t columns =
        nacre_plus(nacre_times((int64_t)p->output_w + 2, p->stride_w),
                   nacre_plus(nacre_times((int64_t)p->kernel_w - 1, p->dilation_w), 1));
    const int64_t bytes = nacre_plus(nacre_times(columns, p->input_c), 31);
    return bytes < 0 ? NACRE_BAD : bytes / 16 * 16;
}

/* All copies that a window spans; the padding at the left is in them. */
static int64_t lines_bytes(const nacre_conv_mve_params_t *p)
{
    const int64_t pitch = line_pitch(p);
    const int64_t left = nacre_times(p->pad_left, p->input_c);
    const int64_t span = nacre_plus(nacre_times((int64_t)p->kernel_h - 1, p->dilation_h), 1);
    return left < 0 || left > pitch ? NACRE_BAD : nacre_times(span, pitch);
}

/* Packed constants and the output; channels are filled up to fours. */
static void fill_constants(nacre_check_t *c, const nacre_conv_mve_params_t *p)
{
    const int64_t fours = ((int64_t)p->output_c + 3) / 4;
    c->need[1] = nacre_times(nacre_times(2, fours), nacre_times(32, (int64_t)p->steps + 1));
    c->need[2] = nacre_times(fours, p->general != 0 ? 16 : 8);
    c->need[3] = nacre_times3(nacre_kept(p->output_ring, c->end), p->output_w, p->output_c);
    c->alignment[1] = 4;
    c->alignment[3] = 4;
    c->alignment[4] = 4;
}

int32_t nacre_check_conv2d_1x1_mve(nacre_check_t *c)
{
    const nacre_conv_mve_params_t *const p = (const nacre_conv_mve_params_t *)c->p[0];
    if (!geometry(c, p) || p->kernel_h != 1 || p->kernel_w != 1 ||
        p->steps > MOST_STEPS_OF_SHORT) {
        return 0;
    }
    fill_constants(c, p);
    c->need[0] = nacre_times3(p->input_ring, p->output_w, p->input_c);
    c->need[4] = nacre_times(4 * STEP, p->steps);
    return 1;
}

/* variant 1: the short form. */
int32_t nacre_check_conv2d_mve(nacre_check_t *c)
{
    const nacre_conv_mve_params_t *const p = (const nacre_conv_mve_params_t *)c->p[0];
    if (!geometry(c, p) || (c->variant == 1 && p->steps > MOST_STEPS_OF_SHORT)) {
        return 0;
    }
    const int64_t pixels = p->output_w % 4 == 0 ? 4 : 7;
    fill_constants(c, p);
    c->need[0] =
        nacre_times3(nacre_kept(p->input_ring, p->input_h), p->input_w, p->input_c);
    c->need[4] = nacre_plus(nacre_times3(pixels, STEP, (int64_t)p->steps + 1), lines_bytes(p));
    return 1;
}

/* The variant is the number of input channels. */
int32_t nacre_check_conv2d_3x3_mve(nacre_check_t *c)
{
    const nacre_conv_mve_params_t *const p = (const nacre_conv_mve_params_t *)c->p[0];
    if (!geometry(c, p) || p->input_c != c->variant || p->kernel_h != 3 || p->kernel_w != 3 ||
        p->stride_h != 1 || p->stride_w != 1 || p->dilation_h != 1 || p->dilation_w != 1 ||
        p->output_w < 4) {
        return 0;
    }
    fill_constants(c, p);
    c->need[0] =
        nacre_times3(nacre_kept(p->input_ring, p->input_h), p->input_w, p->input_c);
    c->need[4] = lines_bytes(p);
    return 1;
}
