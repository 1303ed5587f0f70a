/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of resizing: positions are inside the input. */
#include "../kernels/nacre_resize.h"
#include "nacre_checks.h"

static int32_t positions_between(const int16_t *x, int32_t n, int32_t low, int32_t high)
{
    for (int32_t i = 0; i < n; ++i) {
        if (x[i] < low || x[i] > high) {
            return 0;
        }
    }
    return 1;
}

int32_t nacre_check_resize_nearest(nacre_check_t *c)
{
    const nacre_resize_nearest_params_t *const p =
        (const nacre_resize_nearest_params_t *)c->p[0];
    c->need[0] = nacre_times3(nacre_kept(p->input_ring, INT32_MAX), p->input_w, p->pixel);
    c->need[1] = nacre_plus(p->output_w, c->end);
    c->need[2] = nacre_times3(nacre_kept(p->output_ring, c->end), p->output_w, p->pixel);
    return p->input_w >= 1 && p->output_w >= 0 && p->pixel >= 0;
}

int32_t nacre_check_resize_nearest_tables(nacre_check_t *c)
{
    const nacre_resize_nearest_params_t *const p =
        (const nacre_resize_nearest_params_t *)c->p[0];
    const int16_t *const columns = (const int16_t *)c->content[1];
    const int64_t input_row = (int64_t)p->input_w * p->pixel;
    const int64_t output_row = (int64_t)p->output_w * p->pixel;
    if (columns == NULL || !positions_between(columns, p->output_w, 0, p->input_w - 1) ||
        !positions_between(columns + p->output_w, c->end, 0, INT16_MAX)) {
        return 0;
    }
    for (int32_t r = c->begin; r < c->end; ++r) {
        const int32_t line = columns[p->output_w + r];
        if (!nacre_apart(c, 0, (line % p->input_ring) * input_row, input_row, 2,
                         (r % p->output_ring) * output_row, output_row)) {
            return 0;
        }
    }
    return 1;
}

int32_t nacre_check_resize_bilinear(nacre_check_t *c)
{
    const nacre_resize_bilinear_params_t *const p =
        (const nacre_resize_bilinear_params_t *)c->p[0];
    const int64_t sides = nacre_plus(p->output_h, p->output_w);
    const int32_t output = c->variant == 3 ? 2 : 3;
    c->need[0] = nacre_times3(nacre_kept(p->input_ring, INT32_MAX), p->input_w, p->channels);
    c->need[1] = nacre_times(c->variant, sides);
    c->need[2] = sides;
    c->need[output] = nacre_times3(nacre_kept(p->output_ring, c->end), p->output_w, p->channels);
    return p->input_w >= 1 && p->output_w >= 0 && p->channels >= 0 && c->end <= p->output_h;
}

/* Lower and upper positions of rows and columns; fractions where they are integers. */
int32_t nacre_check_resize_bilinear_tables(nacre_check_t *c)
{
    const nacre_resize_bilinear_params_t *const p =
        (const nacre_resize_bilinear_params_t *)c->p[0];
    const int16_t *const rows = (const int16_t *)c->content[1];
    if (rows == NULL) {
        return 0;
    }
    const int16_t *const columns = rows + (size_t)c->variant * (size_t)p->output_h;
    const int32_t h = 2 * p->output_h;
    const int32_t w = 2 * p->output_w;
    return positions_between(rows, h, 0, INT16_MAX) &&
           positions_between(columns, w, 0, p->input_w - 1) &&
           (c->variant != 3 || (positions_between(rows + h, p->output_h, -1024, 2048) &&
                                positions_between(columns + w, p->output_w, -1024, 2048)));
}
