/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of int8 tensors of one shape by arm_elementwise_add_s8. */
#include "nacre_cmsis.h"

#ifdef NACRE_CMSIS_NN

NACRE_CODE
void nacre_cmsis_add_s8(const int8_t *first, const int8_t *second, int8_t *output,
                        const nacre_cmsis_add_params_t *params)
{
    const nacre_cmsis_add_params_t *p = params;
    nacre_cmsis_expect(arm_elementwise_add_s8(
        first, second, p->first_offset, p->first_multiplier, p->first_shift, p->second_offset,
        p->second_multiplier, p->second_shift, p->left_shift, output, p->output_offset,
        p->output_multiplier, p->output_shift, p->activation_min, p->activation_max, p->elements));
}

#endif
