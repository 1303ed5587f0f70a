/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution of int8 by arm_convolve_wrapper_s8. */
#include "nacre_cmsis.h"

#ifdef NACRE_CMSIS_NN

NACRE_CODE
void nacre_cmsis_conv2d_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                           const int32_t *requant, int8_t *buffer, int8_t *output,
                           const nacre_cmsis_conv_params_t *params)
{
    const nacre_cmsis_conv_params_t *p = params;
    const cmsis_nn_dims input_dims = {p->batches, p->input_h, p->input_w, p->input_c};
    const cmsis_nn_dims filter_dims = {p->output_c, p->kernel_h, p->kernel_w, p->input_c};
    const cmsis_nn_dims bias_dims = {1, 1, 1, p->output_c};
    const cmsis_nn_dims output_dims = {p->batches, p->output_h, p->output_w, p->output_c};
    const cmsis_nn_conv_params window = {
        .input_offset = p->input_offset,
        .output_offset = p->output_offset,
        .stride = {.w = p->stride_w, .h = p->stride_h},
        .padding = {.w = p->pad_left, .h = p->pad_top},
        .dilation = {.w = p->dilation_w, .h = p->dilation_h},
        .activation = {.min = p->activation_min, .max = p->activation_max},
    };
    const cmsis_nn_per_channel_quant_params quant = nacre_cmsis_requant(requant, p->output_c);
    const int32_t needed = arm_convolve_wrapper_s8_get_buffer_size(&window, &input_dims, &filter_dims, &output_dims);
    const cmsis_nn_context context = nacre_cmsis_buffer(buffer, p->buffer_size, needed);
    nacre_cmsis_expect(arm_convolve_wrapper_s8(&context, &window, &quant, &input_dims, input, &filter_dims, weights,
                                               &bias_dims, bias, &output_dims, output));
}

#endif
