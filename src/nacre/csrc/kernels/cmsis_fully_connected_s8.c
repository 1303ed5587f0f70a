/* SPDX-License-Identifier: Apache-2.0 */
/* Fully connected layer of int8 by arm_fully_connected_s8. */
#include "nacre_cmsis.h"

#ifdef NACRE_CMSIS_NN

NACRE_CODE
void nacre_cmsis_fully_connected_s8(const int8_t *input, const int8_t *weights,
                                    const int32_t *bias, const int32_t *sums, int8_t *output,
                                    const nacre_cmsis_fully_connected_params_t *params)
{
    const nacre_cmsis_fully_connected_params_t *p = params;
    const cmsis_nn_dims input_dims = {p->batches, 1, 1, p->inputs};
    const cmsis_nn_dims filter_dims = {p->inputs, 1, 1, p->outputs};
    const cmsis_nn_dims bias_dims = {1, 1, 1, p->outputs};
    const cmsis_nn_dims output_dims = {p->batches, 1, 1, p->outputs};
    const cmsis_nn_fc_params layer = {
        .input_offset = p->input_offset,
        .filter_offset = 0,
        .output_offset = p->output_offset,
        .activation = {.min = p->activation_min, .max = p->activation_max},
    };
    const cmsis_nn_per_tensor_quant_params quant = {p->multiplier, p->shift};
    union {
        const int32_t *given;
        int32_t *plain;
    } at = {sums};
    const int32_t needed = arm_fully_connected_s8_get_buffer_size(&filter_dims);
    const int32_t size = p->outputs * (int32_t)sizeof(int32_t);
    const cmsis_nn_context context = nacre_cmsis_buffer(at.plain, size, needed);
    nacre_cmsis_expect(arm_fully_connected_s8(&context, &layer, &quant, &input_dims, input,
                                              &filter_dims, weights, &bias_dims, bias,
                                              &output_dims, output));
}

#endif
