/* SPDX-License-Identifier: Apache-2.0 */
/* int8 transposed convolution. */
#include "nacre_transpose_conv.h"
#include <string.h>

#include "nacre_transpose_tap_s8.h"

enum { LANES = 32 };
typedef int8_t element_t;
typedef int8_t weight_t;
typedef int32_t acc_t;
typedef int8_t output_t;
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
static void add_tap(const layer_t *layer, const int8_t *x, const int8_t *weights, int32_t tap,
                    int32_t first, int32_t n, int32_t *acc)
{
    const size_t pitch = (size_t)layer->p->weights_pitch;
    const int32_t channels = layer->p->input_c;
    const int8_t *w = weights + (size_t)first * pitch + (size_t)(tap * channels);
    nacre_transpose_tap_s8(x, layer->p->pad_value, channels, w, pitch, n, acc);
}

NACRE_CODE
static void finish(const layer_t *layer, const int32_t *acc, int32_t first, int32_t n, int8_t *y)
{
    nacre_conv_finish_s8(acc, layer->requant + first, n, layer->p, y);
}

#include "nacre_transpose_conv_body.h"

NACRE_CODE
void nacre_transpose_conv_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                             const int32_t *requant, int8_t *output, const nacre_conv_params_t *p,
                             nacre_rows_t rows)
{
    const layer_t layer = {p, bias, requant};
    convolve(&layer, input, weights, output, rows);
}
