/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transform of real rows of any length, straight from the definition. */
#include "nacre_fft.h"

NACRE_CODE
static void transform(const float *x, int32_t count, int32_t k, const float *twiddles,
                      int32_t length, float *y)
{
    float re = 0.0f;
    float im = 0.0f;
    int32_t turn = 0;
    for (int32_t n = 0; n < count; ++n) {
        re += x[n] * twiddles[2 * turn];
        im += x[n] * twiddles[2 * turn + 1];
        turn += k;
        turn -= turn >= length ? length : 0;
    }
    y[0] = re;
    y[1] = im;
}

NACRE_CODE
void nacre_rdft_f32(const float *input, const float *twiddles, float *output,
                    const nacre_rfft_params_t *p)
{
    for (int32_t image = 0; image < p->images; ++image) {
        for (int32_t row = 0; row < p->height; ++row) {
            const int32_t count = row < p->input_h ? nacre_min(p->input_w, p->length) : 0;
            const float *x = input + (count > 0 ? (size_t)(row * p->input_w) : 0);
            for (int32_t k = 0; k <= p->length / 2; ++k) {
                transform(x, count, k, twiddles, p->length, output);
                output += 2;
            }
        }
        input += (size_t)(p->input_h * p->input_w);
    }
}
