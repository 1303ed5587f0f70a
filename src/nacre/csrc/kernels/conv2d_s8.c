/* SPDX-License-Identifier: Apache-2.0 */
/* int8 convolution. */
#include "nacre_conv2d.h"
#include <string.h>

#include "nacre_dot_s16.h"

typedef int8_t element_t;
typedef int8_t output_t;
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
static void dot4(const layer_t *layer, const int16_t *x, const int8_t *w, int32_t n, int32_t *acc)
{
    nacre_dot4_s16(x, w, (size_t)layer->p->weights_pitch, n, acc);
}

NACRE_CODE
static int32_t dot1(const layer_t *layer, const int16_t *x, const int8_t *w, int32_t n)
{
    (void)layer;
    return nacre_dot_s16(x, w, n);
}

NACRE_CODE
static void finish(const layer_t *layer, const int32_t *acc, int32_t first, int32_t n, int8_t *y)
{
    nacre_conv_finish_s8(acc, layer->requant + first, n, layer->p, y);
}

#include "nacre_conv2d_body.h"

NACRE_CODE
void nacre_conv2d_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                     const int32_t *requant, int8_t *output, const nacre_conv_params_t *p,
                     nacre_rows_t rows)
{
    const layer_t layer = {p, bias, requant, p->pad_value, 0};
    convolve(&layer, input, weights, output, rows);
}
