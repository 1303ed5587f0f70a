/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of quantized arithmetic on two inputs. */
#include "../kernels/nacre_add.h"
#include "../kernels/nacre_compare.h"
#include "../kernels/nacre_mul.h"
#include "../kernels/nacre_relu.h"
#include "../kernels/nacre_squared_difference.h"
#include "nacre_checks.h"

int32_t nacre_check_broadcast_add(nacre_check_t *c)
{
    const nacre_add_params_t *const p = (const nacre_add_params_t *)c->p[1];
    return nacre_check_broadcast(c) && nacre_small(p->first_offset) &&
           nacre_between(p->first_unit, -(1 << 20), 1 << 20) && nacre_small(p->second_offset) &&
           nacre_between(p->second_left, 0, 31) && nacre_between(p->second_shift, 0, 31) &&
           nacre_between(p->output_shift, 1, 22) && nacre_small(p->output_offset);
}

int32_t nacre_check_broadcast_add_general(nacre_check_t *c)
{
    const nacre_add_general_params_t *const p = (const nacre_add_general_params_t *)c->p[1];
    return nacre_check_broadcast(c) && nacre_between(p->left_shift, 0, 20) &&
           nacre_small(p->first_offset) && nacre_shift_fits(p->first_shift) &&
           nacre_small(p->second_offset) && nacre_shift_fits(p->second_shift) &&
           nacre_between(p->second_sign, -1, 1) && nacre_shift_fits(p->output_shift) &&
           nacre_small(p->output_offset);
}

int32_t nacre_check_broadcast_add_pot(nacre_check_t *c)
{
    const nacre_add_pot_params_t *const p = (const nacre_add_pot_params_t *)c->p[1];
    return nacre_check_broadcast(c) && nacre_between(p->first_shift, 0, 31) &&
           nacre_between(p->second_shift, 0, 31) && nacre_between(p->second_sign, -1, 1);
}

/* mul and div: the same members. */
int32_t nacre_check_broadcast_mul(nacre_check_t *c)
{
    const nacre_mul_params_t *const p = (const nacre_mul_params_t *)c->p[1];
    return nacre_check_broadcast(c) && nacre_small(p->first_offset) &&
           nacre_small(p->second_offset) && nacre_scale_fits(p->output_shift) &&
           nacre_small(p->output_offset) && nacre_small(p->activation_min) &&
           nacre_small(p->activation_max);
}

int32_t nacre_check_broadcast_compare(nacre_check_t *c)
{
    const nacre_compare_params_t *const p = (const nacre_compare_params_t *)c->p[1];
    return nacre_check_broadcast(c) && nacre_small(p->first_offset) &&
           nacre_shift_fits(p->first_shift) && nacre_small(p->second_offset) &&
           nacre_shift_fits(p->second_shift);
}

int32_t nacre_check_broadcast_prelu(nacre_check_t *c)
{
    const nacre_prelu_params_t *const p = (const nacre_prelu_params_t *)c->p[1];
    return nacre_check_broadcast(c) && nacre_between(p->input_offset, -255, 255) &&
           nacre_between(p->alpha_offset, -255, 255) && nacre_shift_fits(p->positive_shift) &&
           nacre_shift_fits(p->negative_shift) && nacre_small(p->output_offset) &&
           nacre_small(p->low) && nacre_small(p->high);
}

int32_t nacre_check_broadcast_squared_difference(nacre_check_t *c)
{
    const nacre_squared_difference_params_t *const p =
        (const nacre_squared_difference_params_t *)c->p[1];
    return nacre_check_broadcast(c) && nacre_between(p->left_shift, 0, 20) &&
           nacre_small(p->first_offset) && nacre_shift_fits(p->first_shift) &&
           nacre_small(p->second_offset) && nacre_shift_fits(p->second_shift) &&
           nacre_shift_fits(p->output_shift) && nacre_small(p->output_offset) &&
           nacre_small(p->low) && nacre_small(p->high);
}
