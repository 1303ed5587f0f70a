/* SPDX-License-Identifier: Apache-2.0 */
/* int8 depthwise convolution. */
#include "nacre_depthwise.h"
#include <string.h>

enum { LANES = 32 };
typedef int8_t element_t;
typedef int8_t weight_t;
typedef int32_t acc_t;
typedef int8_t output_t;
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

#include "nacre_depthwise_tap_s8.h"

NACRE_CODE
static void add_taps(const layer_t *layer, const int8_t *x, int32_t step, const int8_t *w,
                     int32_t taps, int32_t n, int32_t *acc)
{
    for (int32_t k = 0; k < taps; ++k) {
        nacre_depthwise_tap_s8(x, w, n, acc);
        x += step;
        w += layer->p->weights_pitch;
    }
}

NACRE_CODE
static void finish(const layer_t *layer, const int32_t *acc, int32_t first, int32_t n, int8_t *y)
{
    nacre_conv_finish_s8(acc, layer->requant + first, n, layer->p, y);
}

#include "nacre_depthwise_body.h"

NACRE_CODE
void nacre_depthwise_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                        const int32_t *requant, int8_t *output, const nacre_conv_params_t *p,
                        nacre_rows_t rows)
{
    const layer_t layer = {p, bias, requant, p->pad_value};
    convolve(&layer, input, weights, output, rows);
}
