/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the float Fourier transforms; variant 1: lengths are powers of two. */
#include "../kernels/nacre_fft.h"
#include "nacre_checks.h"

static int32_t length_fits(const nacre_check_t *c, int32_t length, int32_t least)
{
    return c->variant == 1 ? length >= least && (length & (length - 1)) == 0 : length >= 1;
}

int32_t nacre_check_rfft(nacre_check_t *c)
{
    const nacre_rfft_params_t *const p = (const nacre_rfft_params_t *)c->p[0];
    const int64_t bins = nacre_plus(p->length / 2, 1);
    c->need[0] = nacre_times3(p->images, p->input_h, p->input_w);
    c->need[1] = nacre_times(c->variant == 1 ? 1 : 2, p->length);
    c->need[2] = nacre_times(nacre_times3(p->images, p->height, bins), 2);
    return nacre_all_between(&p->images, 4, 0, 1 << 24) && length_fits(c, p->length, 4) &&
           p->length <= 1 << 24;
}

int32_t nacre_check_fft_columns(nacre_check_t *c)
{
    const nacre_fft_columns_params_t *const p = (const nacre_fft_columns_params_t *)c->p[0];
    c->need[0] = nacre_times(c->variant == 1 ? 1 : 2, p->height);
    c->need[1] = nacre_times(nacre_times3(p->images, p->height, p->width), 2);
    c->need[2] = nacre_times(2, p->height);
    return nacre_all_between(&p->images, 3, 0, 1 << 24) && length_fits(c, p->height, 1);
}

int32_t nacre_check_complex(nacre_check_t *c)
{
    const nacre_complex_params_t *const p = (const nacre_complex_params_t *)c->p[0];
    c->need[0] = nacre_times(2, p->count);
    c->need[1] = p->count;
    return p->count >= 0;
}
