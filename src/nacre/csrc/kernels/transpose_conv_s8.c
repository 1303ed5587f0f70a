/* SPDX-License-Identifier: Apache-2.0 */
/* int8 transposed convolution. */
#include "nacre_transpose_conv.h"
#include <string.h>

#include "nacre_dot_s16.h"

enum { LANES = 32, PIECE = 64 };
typedef int8_t element_t;
typedef int8_t weight_t;
typedef int32_t acc_t;
typedef int8_t output_t;
typedef struct {
    const nacre_conv_params_t *p;
    const int32_t *bias;
    const int32_t *requant;
} layer_t;

static void start(const layer_t *layer, int32_t first, int32_t n, int32_t *acc)
{
    memcpy(acc, layer->bias + first, (size_t)n * sizeof *acc);
}

/* acc[j] += sum x[i] * w[j * pitch + i] for n rows. */
static void multiply(const int16_t *x, const int8_t *w, size_t pitch, int32_t taps, int32_t n,
                     int32_t *acc)
{
    int32_t j = 0;
    for (; j + 4 <= n; j += 4) {
        nacre_dot4_s16(x, w + (size_t)j * pitch, pitch, taps, acc + j);
    }
    for (; j < n; ++j) {
        acc[j] = nacre_add_wrapping(acc[j], nacre_dot_s16(x, w + (size_t)j * pitch, taps));
    }
}

static void add_tap(const layer_t *layer, const int8_t *x, const int8_t *weights, int32_t tap,
                    int32_t first, int32_t n, int32_t *acc)
{
    int16_t piece[PIECE];
    const size_t pitch = (size_t)layer->p->weights_pitch;
    const int8_t *w = weights + (size_t)first * pitch + (size_t)(tap * layer->p->input_c);
    for (int32_t begin = 0; begin < layer->p->input_c; begin += PIECE) {
        const int32_t length = nacre_min(PIECE, layer->p->input_c - begin);
        for (int32_t i = 0; i < length; ++i) {
            piece[i] = (int16_t)(x[begin + i] - layer->p->pad_value);
        }
        multiply(piece, w + begin, pitch, length, n, acc);
    }
}

static void finish(const layer_t *layer, const int32_t *acc, int32_t first, int32_t n, int8_t *y)
{
    nacre_conv_finish_s8(acc, layer->requant + first, n, layer->p, y);
}

#include "nacre_transpose_conv_body.h"

void nacre_transpose_conv_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                             const int32_t *requant, int8_t *output, const nacre_conv_params_t *p,
                             nacre_rows_t rows)
{
    const layer_t layer = {p, bias, requant};
    convolve(&layer, input, weights, output, rows);
}
