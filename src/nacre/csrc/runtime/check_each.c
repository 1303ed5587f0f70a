/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of elementwise kernels of one input. */
#include "../kernels/nacre_add_n.h"
#include "../kernels/nacre_elementwise.h"
#include "../kernels/nacre_quantize.h"
#include "../kernels/nacre_relu.h"
#include "../kernels/nacre_sigmoid.h"
#include "nacre_checks.h"

int32_t nacre_check_each(nacre_check_t *c)
{
    const nacre_each_t *const p = (const nacre_each_t *)c->p[0];
    c->need[0] = nacre_times(nacre_kept(p->input_ring, c->end), p->row);
    c->need[1] = nacre_times(nacre_kept(p->output_ring, c->end), p->row);
    return p->row >= 0;
}

int32_t nacre_check_each_requantize(nacre_check_t *c)
{
    const nacre_requantize_params_t *const p = (const nacre_requantize_params_t *)c->p[1];
    return nacre_check_each(c) && nacre_small(p->input_offset) && nacre_shift_fits(p->shift) &&
           nacre_small(p->output_offset);
}

int32_t nacre_check_each_quantize(nacre_check_t *c)
{
    const nacre_quantize_params_t *const p = (const nacre_quantize_params_t *)c->p[1];
    return nacre_check_each(c) && nacre_small(p->zero_point) && nacre_small(p->low) &&
           nacre_small(p->high);
}

int32_t nacre_check_each_dequantize(nacre_check_t *c)
{
    const nacre_dequantize_params_t *const p = (const nacre_dequantize_params_t *)c->p[1];
    return nacre_check_each(c) && nacre_small(p->zero_point);
}

int32_t nacre_check_each_leaky_relu(nacre_check_t *c)
{
    const nacre_leaky_relu_params_t *const p = (const nacre_leaky_relu_params_t *)c->p[1];
    return nacre_check_each(c) && nacre_small(p->input_offset) &&
           nacre_shift_fits(p->positive_shift) && nacre_shift_fits(p->negative_shift) &&
           nacre_small(p->output_offset);
}

int32_t nacre_check_each_accumulate(nacre_check_t *c)
{
    const nacre_accumulate_params_t *const p = (const nacre_accumulate_params_t *)c->p[1];
    return nacre_check_each(c) && nacre_between(p->input_offset, -255, 255) &&
           nacre_shift_fits(p->shift);
}

int32_t nacre_check_each_table_8(nacre_check_t *c)
{
    c->need[2] = 256;
    return nacre_check_each(c);
}

int32_t nacre_check_each_sigmoid(nacre_check_t *c)
{
    const nacre_sigmoid_params_t *const p = (const nacre_sigmoid_params_t *)c->p[1];
    c->need[2] = 256;
    return nacre_check_each(c) && nacre_between(p->multiplier, 0, 32767) &&
           nacre_between(p->shift, 0, 31);
}
