/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 convolution with weights of any zero point. */
#include "nacre_conv2d.h"
#include <string.h>

typedef uint8_t element_t;
typedef uint8_t output_t;
typedef struct {
    const nacre_conv_params_t *p;
    const int32_t *bias;
    const int32_t *requant;
    int32_t pad;
    int32_t input_offset;
} layer_t;

NACRE_CODE
static void start(const layer_t *layer, int32_t first, int32_t n, int32_t *acc)
{
    memcpy(acc, layer->bias + first, (size_t)n * sizeof *acc);
}

NACRE_CODE
static int32_t dot1(const layer_t *layer, const int16_t *x, const uint8_t *w, int32_t n)
{
    const int32_t offset = layer->p->weights_offset;
    int32_t acc = 0;
    for (int32_t i = 0; i < n; ++i) {
        acc += x[i] * (int16_t)(w[i] + offset);
    }
    return acc;
}

NACRE_CODE
static void dot4(const layer_t *layer, const int16_t *x, const uint8_t *w, int32_t n, int32_t *acc)
{
    for (int32_t j = 0; j < 4; ++j) {
        acc[j] = nacre_add_wrapping(acc[j], dot1(layer, x, w, n));
        w += layer->p->weights_pitch;
    }
}

NACRE_CODE
static void finish(const layer_t *layer, const int32_t *acc, int32_t first, int32_t n, uint8_t *y)
{
    nacre_conv_finish_u8(acc, layer->requant + first, n, layer->p, y);
}

#include "nacre_conv2d_body.h"

NACRE_CODE
void nacre_conv2d_u8(const uint8_t *input, const uint8_t *weights, const int32_t *bias,
                     const int32_t *requant, uint8_t *output, const nacre_conv_params_t *p,
                     nacre_rows_t rows)
{
    const layer_t layer = {p, bias, requant, 0, -p->pad_value};
    convolve(&layer, input, weights, output, rows);
}
