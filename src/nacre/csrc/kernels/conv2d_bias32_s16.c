/* SPDX-License-Identifier: Apache-2.0 */
/* int16 convolution with int8 weights and a 32-bit bias. */
#include "nacre_conv2d.h"
#include "nacre_conv_s16.h"

typedef struct {
    const nacre_conv_params_t *p;
    const int32_t *bias;
    const int32_t *requant;
} layer_t;

NACRE_CODE
static void finish(const layer_t *layer, const int64_t *acc, int32_t first, int32_t n, int16_t *y)
{
    const int32_t *multiplier = layer->requant + first;
    const int32_t *shift = multiplier + layer->p->output_c;
    for (int32_t j = 0; j < n; ++j) {
        const int64_t sum = acc[j] + layer->bias[first + j];
        y[j] = nacre_conv_output_bias32_s16(sum, multiplier[j], shift[j], layer->p);
    }
}

#include "nacre_conv2d_s16_body.h"

NACRE_CODE
void nacre_conv2d_bias32_s16(const int16_t *input, const int8_t *weights, const int32_t *bias,
                      const int32_t *requant, int16_t *output, const nacre_conv_params_t *p,
                      nacre_rows_t rows)
{
    const layer_t layer = {p, bias, requant};
    convolve(&layer, input, weights, output, rows);
}
