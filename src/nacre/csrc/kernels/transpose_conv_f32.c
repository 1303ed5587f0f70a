/* SPDX-License-Identifier: Apache-2.0 */
/* float transposed convolution, output channels side by side. */
#include "nacre_transpose_conv.h"
#include "nacre_lanes_f32.h"

enum { LANES = 16 };
typedef float element_t;
typedef float weight_t;
typedef float acc_t;
typedef float output_t;
typedef struct {
    const nacre_conv_float_params_t *p;
    const float *bias;
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
static void add_tap(const layer_t *layer, const float *x, const float *weights, int32_t tap,
                    int32_t first, int32_t n, float *acc)
{
    const size_t pitch = (size_t)layer->p->output_c;
    const int32_t channels = layer->p->input_c;
    const float *w = weights + (size_t)(tap * channels) * pitch + first;
    if (n == LANES) {
        nacre_lanes_f32(x, channels, w, pitch, acc, LANES);
    } else {
        nacre_lanes_f32(x, channels, w, pitch, acc, n);
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

#include "nacre_transpose_conv_body.h"

NACRE_CODE
void nacre_transpose_conv_f32(const float *input, const float *weights, const float *bias,
                              float *output, const nacre_conv_float_params_t *p, nacre_rows_t rows)
{
    const layer_t layer = {p, bias};
    convolve(&layer, input, weights, output, rows);
}
