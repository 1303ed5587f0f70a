/* SPDX-License-Identifier: Apache-2.0 */
/* float depthwise convolution. */
#include "nacre_depthwise.h"

enum { LANES = 16 };
typedef float element_t;
typedef float weight_t;
typedef float acc_t;
typedef float output_t;
typedef struct {
    const nacre_conv_float_params_t *p;
    const float *bias;
    float pad;
} layer_t;

NACRE_CODE
static void start(const layer_t *layer, int32_t first, int32_t n, float *acc)
{
    (void)layer;
    (void)first;
    for (int32_t j = 0; j < n; ++j) {
        acc[j] = 0.0f;
    }
}

NACRE_CODE
static void add_taps(const layer_t *layer, const float *x, int32_t step, const float *w,
                     int32_t taps, int32_t n, float *restrict acc)
{
    for (int32_t k = 0; k < taps; ++k) {
        for (int32_t j = 0; j < n; ++j) {
            acc[j] += x[j] * w[j];
        }
        x += step;
        w += layer->p->weights_pitch;
    }
}

NACRE_CODE
static void finish(const layer_t *layer, const float *acc, int32_t first, int32_t n, float *y)
{
    const float low = layer->p->activation_min;
    const float high = layer->p->activation_max;
    for (int32_t j = 0; j < n; ++j) {
        y[j] = nacre_clamp_f32(acc[j] + layer->bias[first + j], low, high);
    }
}

#include "nacre_depthwise_body.h"

NACRE_CODE
void nacre_depthwise_f32(const float *input, const float *weights, const float *bias, float *output,
                         const nacre_conv_float_params_t *p, nacre_rows_t rows)
{
    const layer_t layer = {p, bias, 0.0f};
    convolve(&layer, input, weights, output, rows);
}
