/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of int8 along rows by arm_softmax_s8. */
#include "nacre_cmsis.h"

#ifdef NACRE_CMSIS_NN

NACRE_CODE
void nacre_cmsis_softmax_s8(const int8_t *input, int8_t *output,
                            const nacre_cmsis_softmax_params_t *params)
{
    arm_softmax_s8(input, params->rows, params->depth, params->multiplier, params->shift,
                   params->diff_min, output);
}

#endif
