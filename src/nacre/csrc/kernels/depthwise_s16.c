/* SPDX-License-Identifier: Apache-2.0 */
/* int16 depthwise convolution with int8 weights and a 64-bit bias. */
#include "nacre_depthwise.h"
#include <string.h>

#include "nacre_conv_s16.h"

enum { LANES = 16 };
typedef int16_t element_t;
typedef int8_t weight_t;
typedef int64_t acc_t;
typedef int16_t output_t;
typedef struct {
    const nacre_conv_params_t *p;
    const int64_t *bias;
    const int32_t *requant;
    int32_t pad;
} layer_t;

NACRE_CODE
static void start(const layer_t *layer, int32_t first, int32_t n, int64_t *acc)
{
    memcpy(acc, layer->bias + first, (size_t)n * sizeof *acc);
}

NACRE_CODE
static void add_taps(const layer_t *layer, const int16_t *x, int32_t step, const int8_t *w,
                     int32_t taps, int32_t n, int64_t *restrict acc)
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
static void finish(const layer_t *layer, const int64_t *acc, int32_t first, int32_t n, int16_t *y)
{
    const int32_t *multiplier = layer->requant + first;
    const int32_t *shift = multiplier + layer->p->output_c;
    for (int32_t j = 0; j < n; ++j) {
        y[j] = nacre_conv_output_s16(acc[j], multiplier[j], shift[j], layer->p);
    }
}

#include "nacre_depthwise_body.h"

NACRE_CODE
void nacre_depthwise_s16(const int16_t *input, const int8_t *weights, const int64_t *bias,
                         const int32_t *requant, int16_t *output, const nacre_conv_params_t *p,
                         nacre_rows_t rows)
{
    const layer_t layer = {p, bias, requant, 0};
    convolve(&layer, input, weights, output, rows);
}
