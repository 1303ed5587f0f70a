/* SPDX-License-Identifier: Apache-2.0 */
/* float convolution with int8 weights, of an input that was quantized at run time. */
#include "nacre_conv2d.h"
#include "nacre_dot_s16.h"

typedef int8_t element_t;
typedef float output_t;
typedef struct {
    const nacre_conv_float_params_t *p;
    const int32_t *sums;
    const float *scales;
    const float *bias;
    float scale;
    int32_t pad;
    int32_t input_offset;
} layer_t;

NACRE_CODE
static void start(const layer_t *layer, int32_t first, int32_t n, int32_t *acc)
{
    for (int32_t j = 0; j < n; ++j) {
        acc[j] = -layer->pad * layer->sums[first + j];
    }
}

NACRE_CODE
static void dot4(const layer_t *layer, const int16_t *x, const int8_t *w, int32_t n, int32_t *acc)
{
    nacre_dot4_s16(x, w, (size_t)layer->p->weights_pitch, n, acc);
}

NACRE_CODE
static int32_t dot1(const layer_t *layer, const int16_t *x, const int8_t *w, int32_t n)
{
    (void)layer;
    return nacre_dot_s16(x, w, n);
}

NACRE_CODE
static void finish(const layer_t *layer, const int32_t *acc, int32_t first, int32_t n, float *y)
{
    const float *scales = layer->scales + first;
    const float *bias = layer->bias + first;
    for (int32_t j = 0; j < n; ++j) {
        const float sum = (float)acc[j] * (layer->scale * scales[j]) + bias[j];
        y[j] = nacre_clamp_f32(sum, layer->p->activation_min, layer->p->activation_max);
    }
}

#include "nacre_conv2d_body.h"

NACRE_CODE
void nacre_conv2d_hybrid_f32(const int8_t *input, const float *range, const int8_t *weights,
                              const int32_t *sums, const float *scales, const float *bias,
                              float *output, const nacre_conv_float_params_t *p, nacre_rows_t rows)
{
    const layer_t layer = {p, sums, scales, bias, range[0], nacre_hybrid_zero(range[1]), 0};
    convolve(&layer, input, weights, output, rows);
}
