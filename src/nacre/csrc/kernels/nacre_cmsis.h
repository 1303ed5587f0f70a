/* SPDX-License-Identifier: Apache-2.0 */
/* Operators by CMSIS-NN's public functions, version 6 or later, which the application provides.
 *
 * Each function here fills the library's structs and makes one call. Tensors are whole. Constants
 * are those of the model: offsets are not folded into the bias. `requant` is multiplier[channels],
 * then shift[channels], both filled up to a multiple of four: the library reads on to there.
 * A buffer that the library finds too small, or a call that it refuses, ends in NACRE_CMSIS_FAIL(),
 * which may be defined otherwise; it must not return. */
#ifndef NACRE_CMSIS_H
#define NACRE_CMSIS_H

#include "nacre_kernel.h"

#ifndef NACRE_CMSIS_FAIL
#define NACRE_CMSIS_FAIL() __builtin_trap()
#endif

typedef struct {
    int32_t batches;
    int32_t input_h;
    int32_t input_w;
    int32_t input_c;
    int32_t output_h;
    int32_t output_w;
    int32_t output_c;
    int32_t kernel_h;
    int32_t kernel_w;
    int32_t stride_h;
    int32_t stride_w;
    int32_t dilation_h;
    int32_t dilation_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t input_offset;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
    int32_t buffer_size;
} nacre_cmsis_conv_params_t;

typedef struct {
    int32_t batches;
    int32_t inputs;
    int32_t outputs;
    int32_t input_offset;
    int32_t output_offset;
    int32_t multiplier;
    int32_t shift;
    int32_t activation_min;
    int32_t activation_max;
} nacre_cmsis_fully_connected_params_t;

typedef struct {
    int32_t batches;
    int32_t input_h;
    int32_t input_w;
    int32_t channels;
    int32_t output_h;
    int32_t output_w;
    int32_t kernel_h;
    int32_t kernel_w;
    int32_t stride_h;
    int32_t stride_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t activation_min;
    int32_t activation_max;
    int32_t buffer_size;
} nacre_cmsis_pool_params_t;

typedef struct {
    int32_t elements;
    int32_t first_offset;
    int32_t first_multiplier;
    int32_t first_shift;
    int32_t second_offset;
    int32_t second_multiplier;
    int32_t second_shift;
    int32_t left_shift;
    int32_t output_offset;
    int32_t output_multiplier;
    int32_t output_shift;
    int32_t activation_min;
    int32_t activation_max;
} nacre_cmsis_add_params_t;

typedef struct {
    int32_t elements;
    int32_t first_offset;
    int32_t second_offset;
    int32_t output_offset;
    int32_t output_multiplier;
    int32_t output_shift;
    int32_t activation_min;
    int32_t activation_max;
} nacre_cmsis_mul_params_t;

typedef struct {
    int32_t rows;
    int32_t depth;
    int32_t multiplier;
    int32_t shift;
    int32_t diff_min;
} nacre_cmsis_softmax_params_t;

void nacre_cmsis_conv2d_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                           const int32_t *requant, int8_t *buffer, int8_t *output,
                           const nacre_cmsis_conv_params_t *params);
void nacre_cmsis_depthwise_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                              const int32_t *requant, int8_t *buffer, int8_t *output,
                              const nacre_cmsis_conv_params_t *params);
/* `sums` is bias - zero point of the input * sum of a row of weights: what the library keeps in the
 * buffer where it wants one. */
void nacre_cmsis_fully_connected_s8(const int8_t *input, const int8_t *weights,
                                    const int32_t *bias, const int32_t *sums, int8_t *output,
                                    const nacre_cmsis_fully_connected_params_t *params);
void nacre_cmsis_average_pool2d_s8(const int8_t *input, int8_t *buffer, int8_t *output,
                                   const nacre_cmsis_pool_params_t *params);
void nacre_cmsis_max_pool2d_s8(const int8_t *input, int8_t *buffer, int8_t *output,
                               const nacre_cmsis_pool_params_t *params);
void nacre_cmsis_add_s8(const int8_t *first, const int8_t *second, int8_t *output,
                        const nacre_cmsis_add_params_t *params);
void nacre_cmsis_mul_s8(const int8_t *first, const int8_t *second, int8_t *output,
                        const nacre_cmsis_mul_params_t *params);
void nacre_cmsis_softmax_s8(const int8_t *input, int8_t *output,
                            const nacre_cmsis_softmax_params_t *params);

#ifdef NACRE_CMSIS_NN
#include <arm_nnfunctions.h>

NACRE_CODE
static inline void nacre_cmsis_expect(arm_cmsis_nn_status status)
{
    if (status != ARM_CMSIS_NN_SUCCESS) {
        NACRE_CMSIS_FAIL();
    }
}
/* The working memory of a call, if the library needs no more than was planned. */
NACRE_CODE
static inline cmsis_nn_context nacre_cmsis_buffer(void *buffer, int32_t size, int32_t needed)
{
    cmsis_nn_context context = {buffer, size};
    if (needed > size) {
        NACRE_CMSIS_FAIL();
    }
    return context;
}
/* The library's struct has plain pointers; it only reads them. */
NACRE_CODE
static inline cmsis_nn_per_channel_quant_params nacre_cmsis_requant(const int32_t *requant,
                                                                    int32_t channels)
{
    union {
        const int32_t *given;
        int32_t *plain;
    } at = {requant};
    cmsis_nn_per_channel_quant_params quant = {at.plain, at.plain + (channels + 3) / 4 * 4};
    return quant;
}
#endif

#endif
