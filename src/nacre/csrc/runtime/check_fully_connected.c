/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the fully connected layers. */
#include "../kernels/nacre_fully_connected.h"
#include "nacre_checks.h"

/* Sums of so many products of 16-bit by 8-bit numbers, and offsets, fit where kernels keep them. */
enum { MOST_INPUTS = 1 << 20 };

static int32_t sizes(nacre_check_t *c, const int32_t *batches_inputs_outputs, int32_t scale_step)
{
    const int32_t *const n = batches_inputs_outputs;
    c->need[0] = nacre_times(n[0], n[1]);
    c->need[1] = nacre_times(n[1], n[2]);
    return nacre_all_between(n, 3, 1, INT32_MAX) && n[1] <= MOST_INPUTS &&
           nacre_between(scale_step, 0, 1);
}

/* variant 1: one real scale each; 0: multiplier and shift. */
int32_t nacre_check_fully_connected(nacre_check_t *c)
{
    const nacre_fully_connected_params_t *const p =
        (const nacre_fully_connected_params_t *)c->p[0];
    const int64_t scales = p->scale_step != 0 ? p->outputs : 1;
    c->need[2] = p->outputs;
    c->need[3] = nacre_times(c->variant == 1 ? 1 : 2, scales);
    c->need[4] = nacre_times(p->batches, p->outputs);
    return sizes(c, &p->batches, p->scale_step) && nacre_between(p->input_offset, -255, 255) &&
           nacre_between(p->weights_offset, -255, 255) && nacre_small(p->output_offset) &&
           nacre_small(p->activation_min) && nacre_small(p->activation_max);
}

int32_t nacre_check_fully_connected_f32(nacre_check_t *c)
{
    const nacre_fully_connected_float_params_t *const p =
        (const nacre_fully_connected_float_params_t *)c->p[0];
    c->need[2] = p->outputs;
    c->need[3] = nacre_times(p->batches, p->outputs);
    return sizes(c, &p->batches, 0);
}

int32_t nacre_check_fully_connected_hybrid(nacre_check_t *c)
{
    const nacre_fully_connected_hybrid_params_t *const p =
        (const nacre_fully_connected_hybrid_params_t *)c->p[0];
    c->need[2] = p->scale_step != 0 ? p->outputs : 1;
    c->need[3] = p->outputs;
    c->need[4] = nacre_times(p->batches, p->outputs);
    c->need[5] = p->inputs;
    return sizes(c, &p->batches, p->scale_step);
}

/* Shifts are the second half of the table at pointer 3. */
int32_t nacre_check_fully_connected_tables(nacre_check_t *c)
{
    const nacre_fully_connected_params_t *const p =
        (const nacre_fully_connected_params_t *)c->p[0];
    const int32_t scales = p->scale_step != 0 ? p->outputs : 1;
    const int32_t *const table = (const int32_t *)c->content[3];
    return table != NULL && nacre_scales_fit(table + scales, scales);
}

int32_t nacre_check_fully_connected_tables_wide(nacre_check_t *c)
{
    const nacre_fully_connected_params_t *const p =
        (const nacre_fully_connected_params_t *)c->p[0];
    const int32_t scales = p->scale_step != 0 ? p->outputs : 1;
    const int32_t *const table = (const int32_t *)c->content[3];
    return table != NULL && nacre_all_between(table + scales, scales, -31, 14) &&
           nacre_biases_fit(c, 2, p->outputs);
}
