/* SPDX-License-Identifier: Apache-2.0 */
/* float32 bilinear resizing. */
#include "nacre_resize.h"

/* One output row between the input rows `low` and `high`, `fy` towards `high`. */
NACRE_CODE
static void resize_row(const float *low, const float *high, float fy, const int16_t *columns,
                       const float *fractions, float *y, const nacre_resize_bilinear_params_t *p)
{
    for (int32_t ox = 0; ox < p->output_w; ++ox) {
        const int32_t left = columns[ox] * p->channels;
        const int32_t right = columns[p->output_w + ox] * p->channels;
        const float fx = fractions[ox];
        const float low_left = (1.0f - fy) * (1.0f - fx);
        const float low_right = (1.0f - fy) * fx;
        const float high_left = fy * (1.0f - fx);
        const float high_right = fy * fx;
        for (int32_t c = 0; c < p->channels; ++c) {
            y[c] = low[left + c] * low_left + high[left + c] * high_left +
                   low[right + c] * low_right + high[right + c] * high_right;
        }
        y += p->channels;
    }
}

NACRE_CODE
void nacre_resize_bilinear_f32(const float *input, const int16_t *positions,
                               const float *fractions, float *output,
                               const nacre_resize_bilinear_params_t *p, nacre_rows_t rows)
{
    const int32_t input_row = p->input_w * p->channels;
    const int32_t output_row = p->output_w * p->channels;
    const int16_t *columns = positions + 2 * p->output_h;
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t low = positions[oy] % p->input_ring;
        const int32_t high = positions[p->output_h + oy] % p->input_ring;
        resize_row(input + (size_t)(low * input_row), input + (size_t)(high * input_row),
                   fractions[oy], columns, fractions + p->output_h,
                   output + (size_t)((oy % p->output_ring) * output_row), p);
    }
}
