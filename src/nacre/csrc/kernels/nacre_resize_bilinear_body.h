/* SPDX-License-Identifier: Apache-2.0 */
/* Bilinear resizing of integers. The including file defines BILINEAR_NAME, BILINEAR_ELEMENT and
 * BILINEAR_SUM, which holds 2.5 * 2^20 times the largest element. */

enum { ONE = 1024 };

/* One output row between the input rows `low` and `high`, `fy` of 1024 towards `high`. */
NACRE_CODE
static void resize_row(const BILINEAR_ELEMENT *low, const BILINEAR_ELEMENT *high, int32_t fy,
                       const int16_t *columns, BILINEAR_ELEMENT *y,
                       const nacre_resize_bilinear_params_t *p)
{
    for (int32_t ox = 0; ox < p->output_w; ++ox) {
        const int32_t left = columns[ox] * p->channels;
        const int32_t right = columns[p->output_w + ox] * p->channels;
        const int32_t fx = columns[2 * p->output_w + ox];
        const BILINEAR_SUM low_left = (ONE - fy) * (ONE - fx);
        const BILINEAR_SUM low_right = (ONE - fy) * fx;
        const BILINEAR_SUM high_left = fy * (ONE - fx);
        const BILINEAR_SUM high_right = fy * fx;
        for (int32_t c = 0; c < p->channels; ++c) {
            const BILINEAR_SUM sum = low[left + c] * low_left + low[right + c] * low_right +
                                     high[left + c] * high_left + high[right + c] * high_right;
            const BILINEAR_SUM half = sum > 0 ? 1 << 19 : -(1 << 19);
            y[c] = (BILINEAR_ELEMENT)((sum + half) / (1 << 20));
        }
        y += p->channels;
    }
}

NACRE_CODE
void BILINEAR_NAME(const BILINEAR_ELEMENT *input, const int16_t *positions,
                   BILINEAR_ELEMENT *output, const nacre_resize_bilinear_params_t *p,
                   nacre_rows_t rows)
{
    const int32_t input_row = p->input_w * p->channels;
    const int32_t output_row = p->output_w * p->channels;
    const int16_t *columns = positions + 3 * p->output_h;
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t low = positions[oy] % p->input_ring;
        const int32_t high = positions[p->output_h + oy] % p->input_ring;
        resize_row(input + (size_t)(low * input_row), input + (size_t)(high * input_row),
                   positions[2 * p->output_h + oy], columns,
                   output + (size_t)((oy % p->output_ring) * output_row), p);
    }
}
