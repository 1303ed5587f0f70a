/* SPDX-License-Identifier: Apache-2.0 */
/* float transposed convolution with int8 weights, of an input quantized at run time. */
#include "nacre_transpose_conv.h"
#include "nacre_transpose_tap_s8.h"

enum { LANES = 32 };
typedef int8_t element_t;
typedef int8_t weight_t;
typedef int32_t acc_t;
typedef float output_t;
typedef struct {
    const nacre_conv_float_params_t *p;
    const float *scales;
    const float *bias;
    float scale;
    int32_t zero_point;
} layer_t;

NACRE_CODE
static void start(const layer_t *layer, int32_t first, int32_t n, int32_t *acc)
{
    (void)layer;
    (void)first;
    for (int32_t j = 0; j < n; ++j) {
        acc[j] = 0;
    }
}

NACRE_CODE
static void add_tap(const layer_t *layer, const int8_t *x, const int8_t *weights, int32_t tap,
                    int32_t first, int32_t n, int32_t *acc)
{
    const size_t pitch = (size_t)layer->p->weights_pitch;
    const int32_t channels = layer->p->input_c;
    const int8_t *w = weights + (size_t)first * pitch + (size_t)(tap * channels);
    nacre_transpose_tap_s8(x, layer->zero_point, channels, w, pitch, n, acc);
}

NACRE_CODE
static void finish(const layer_t *layer, const int32_t *acc, int32_t first, int32_t n, float *y)
{
    for (int32_t j = 0; j < n; ++j) {
        const float scale = layer->scale * layer->scales[first + j];
        const float sum = (float)acc[j] * scale + layer->bias[first + j];
        y[j] = nacre_clamp_f32(sum, layer->p->activation_min, layer->p->activation_max);
    }
}

#include "nacre_transpose_conv_body.h"

NACRE_CODE
void nacre_transpose_conv_hybrid_f32(const int8_t *input, const float *range, const int8_t *weights,
                                     const float *scales, const float *bias, float *output,
                                     const nacre_conv_float_params_t *p, nacre_rows_t rows)
{
    const layer_t layer = {p, scales, bias, range[0], nacre_hybrid_zero(range[1])};
    convolve(&layer, input, weights, output, rows);
}
