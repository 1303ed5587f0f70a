/* SPDX-License-Identifier: Apache-2.0 */
/* Max pool of int8 by arm_max_pool_s8. */
#include "nacre_cmsis.h"

#ifdef NACRE_CMSIS_NN

NACRE_CODE
void nacre_cmsis_max_pool2d_s8(const int8_t *input, int8_t *buffer, int8_t *output,
                               const nacre_cmsis_pool_params_t *params)
{
    const nacre_cmsis_pool_params_t *p = params;
    const cmsis_nn_dims input_dims = {p->batches, p->input_h, p->input_w, p->channels};
    const cmsis_nn_dims filter_dims = {1, p->kernel_h, p->kernel_w, 1};
    const cmsis_nn_dims output_dims = {p->batches, p->output_h, p->output_w, p->channels};
    const cmsis_nn_pool_params window = {
        .stride = {.w = p->stride_w, .h = p->stride_h},
        .padding = {.w = p->pad_left, .h = p->pad_top},
        .activation = {.min = p->activation_min, .max = p->activation_max},
    };
    const int32_t needed = 0;
    const cmsis_nn_context context = nacre_cmsis_buffer(buffer, p->buffer_size, needed);
    nacre_cmsis_expect(arm_max_pool_s8(&context, &window, &input_dims, input, &filter_dims, &output_dims,
                                       output));
}

#endif
