/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 depthwise convolution with weights of any zero point. */
#include "nacre_depthwise.h"
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
    int32_t pad;
} layer_t;

NACRE_CODE
static void start(const layer_t *layer, int32_t first, int32_t n, int32_t *acc)
{
    memcpy(acc, layer->bias + first, (size_t)n * sizeof *acc);
}

NACRE_CODE
static void add_taps(const layer_t *layer, const uint8_t *x, int32_t step, const uint8_t *w,
                     int32_t taps, int32_t n, int32_t *restrict acc)
{
    const int32_t input_offset = -layer->p->pad_value;
    const int32_t weights_offset = layer->p->weights_offset;
    for (int32_t k = 0; k < taps; ++k) {
        for (int32_t j = 0; j < n; ++j) {
            const int32_t product =
                (int16_t)(x[j] + input_offset) * (int16_t)(w[j] + weights_offset);
            acc[j] = nacre_add_wrapping(acc[j], product);
        }
        x += step;
        w += layer->p->weights_pitch;
    }
}

NACRE_CODE
static void finish(const layer_t *layer, const int32_t *acc, int32_t first, int32_t n, uint8_t *y)
{
    nacre_conv_finish_u8(acc, layer->requant + first, n, layer->p, y);
}

#include "nacre_depthwise_body.h"

NACRE_CODE
void nacre_depthwise_u8(const uint8_t *input, const uint8_t *weights, const int32_t *bias,
                        const int32_t *requant, uint8_t *output, const nacre_conv_params_t *p,
                        nacre_rows_t rows)
{
    const layer_t layer = {p, bias, requant, p->pad_value};
    convolve(&layer, input, weights, output, rows);
}
