/* SPDX-License-Identifier: Apache-2.0 */
/* int8 convolution that gathers the taps of a pixel before it multiplies. */
#include <string.h>

#include "nacre_conv2d.h"
#include "nacre_dot_s8.h"
#include "nacre_requant.h"

/* Copy the taps of the pixel whose top left tap is (iy, ix); taps outside are the pad value. */
static void gather(const int8_t *input, int32_t iy, int32_t ix, const nacre_conv2d_params_t *p,
                   int8_t *patch)
{
    const size_t tap = (size_t)p->input_c;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        const int32_t y = iy + ky * p->dilation_h;
        const int32_t row_inside = y >= 0 && y < p->input_h;
        const int32_t row = row_inside ? (y % p->input_ring) * p->input_w : 0;
        for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
            const int32_t x = ix + kx * p->dilation_w;
            if (row_inside && x >= 0 && x < p->input_w) {
                memcpy(patch, input + (size_t)(row + x) * tap, tap);
            } else {
                memset(patch, p->pad_value, tap);
            }
            patch += tap;
        }
    }
}

static int8_t finish(int32_t acc, int32_t oc, const int32_t *requant,
                     const nacre_conv2d_params_t *p)
{
    return nacre_finish_s8(acc, requant[oc], requant[p->output_c + oc], p->output_offset,
                           p->activation_min, p->activation_max);
}

static void multiply(const int8_t *patch, const int8_t *weights, const int32_t *bias,
                     const int32_t *requant, int8_t *output, const nacre_conv2d_params_t *p)
{
    const int32_t taps = p->kernel_h * p->kernel_w * p->input_c;
    int32_t oc = 0;
    for (; oc + 4 <= p->output_c; oc += 4) {
        int32_t acc[4] = {bias[oc], bias[oc + 1], bias[oc + 2], bias[oc + 3]};
        nacre_dot4_s8(patch, weights, (size_t)taps, taps, acc);
        weights += 4 * taps;
        for (int32_t j = 0; j < 4; ++j) {
            output[oc + j] = finish(acc[j], oc + j, requant, p);
        }
    }
    for (; oc < p->output_c; ++oc) {
        output[oc] = finish(bias[oc] + nacre_dot_s8(patch, weights, taps), oc, requant, p);
        weights += taps;
    }
}

void nacre_conv2d_patch_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                           const int32_t *requant, int8_t *output, const nacre_conv2d_params_t *p,
                           nacre_rows_t rows, int8_t *scratch)
{
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        int8_t *y = output + (size_t)((oy % p->output_ring) * p->output_w * p->output_c);
        const int32_t iy = oy * p->stride_h - p->pad_top;
        for (int32_t ox = 0; ox < p->output_w; ++ox) {
            gather(input, iy, ox * p->stride_w - p->pad_left, p, scratch);
            multiply(scratch, weights, bias, requant, y, p);
            y += p->output_c;
        }
    }
}
