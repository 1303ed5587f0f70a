/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 bilinear resizing, in the float arithmetic that TFLite defines for this type. */
#include "nacre_resize.h"

/* One output row between the input rows `low` and `high`, `fy` towards `high`. The order of the
 * products decides how ties round, so weights are not multiplied beforehand. */
NACRE_CODE
static void resize_row(const uint8_t *low, const uint8_t *high, float fy, const int16_t *columns,
                       const float *fractions, uint8_t *y, const nacre_resize_bilinear_params_t *p)
{
    const float not_fy = 1.0f - fy;
    for (int32_t ox = 0; ox < p->output_w; ++ox) {
        const int32_t left = columns[ox] * p->channels;
        const int32_t right = columns[p->output_w + ox] * p->channels;
        const float fx = fractions[ox];
        const float not_fx = 1.0f - fx;
        for (int32_t c = 0; c < p->channels; ++c) {
            const float low_left = (float)low[left + c] * not_fy * not_fx;
            const float high_left = (float)high[left + c] * fy * not_fx;
            const float low_right = (float)low[right + c] * not_fy * fx;
            const float high_right = (float)high[right + c] * fy * fx;
            y[c] = (uint8_t)(low_left + high_left + low_right + high_right + 0.5f);
        }
        y += p->channels;
    }
}

NACRE_CODE
void nacre_resize_bilinear_u8(const uint8_t *input, const int16_t *positions,
                              const float *fractions, uint8_t *output,
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
