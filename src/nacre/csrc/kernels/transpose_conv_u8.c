/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 transposed convolution with weights of any zero point. */
#include "nacre_transpose_conv.h"
#include <string.h>

enum { LANES = 32 };
typedef uint8_t element_t;
typedef uint8_t weight_t;
typedef int32_t acc_t;
typedef uint8_t output_t;
typedef struct {
    const nacre_conv_params_t *p;
    const int32_t *bias;
    const int32_t *requant;
} layer_t;

NACRE_CODE
static void start(const layer_t *layer, int32_t first, int32_t n, int32_t *acc)
{
    memcpy(acc, layer->bias + first, (size_t)n * sizeof *acc);
}

NACRE_CODE
static int32_t dot(const layer_t *layer, const uint8_t *x, const uint8_t *w)
{
    const int32_t input_offset = -layer->p->pad_value;
    const int32_t weights_offset = layer->p->weights_offset;
    int32_t acc = 0;
    for (int32_t i = 0; i < layer->p->input_c; ++i) {
        acc += (int16_t)(x[i] + input_offset) * (int16_t)(w[i] + weights_offset);
    }
    return acc;
}

NACRE_CODE
static void add_tap(const layer_t *layer, const uint8_t *x, const uint8_t *weights, int32_t tap,
                    int32_t first, int32_t n, int32_t *acc)
{
    const size_t pitch = (size_t)layer->p->weights_pitch;
    const uint8_t *w = weights + (size_t)first * pitch + (size_t)(tap * layer->p->input_c);
    for (int32_t j = 0; j < n; ++j) {
        acc[j] = nacre_add_wrapping(acc[j], dot(layer, x, w));
        w += pitch;
    }
}

NACRE_CODE
static void finish(const layer_t *layer, const int32_t *acc, int32_t first, int32_t n, uint8_t *y)
{
    nacre_conv_finish_u8(acc, layer->requant + first, n, layer->p, y);
}

#include "nacre_transpose_conv_body.h"

NACRE_CODE
void nacre_transpose_conv_u8(const uint8_t *input, const uint8_t *weights, const int32_t *bias,
                             const int32_t *requant, uint8_t *output, const nacre_conv_params_t *p,
                             nacre_rows_t rows)
{
    const layer_t layer = {p, bias, requant};
    convolve(&layer, input, weights, output, rows);
}
