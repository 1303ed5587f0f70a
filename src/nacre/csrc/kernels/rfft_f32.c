/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transform of real rows: a complex one of half the length, then its two halves apart. */
#include "nacre_fft.h"

/* Pairs of values as complex ones, in bit-reversed order; zeros behind the `count` given. */
NACRE_CODE
static void gather(const float *x, int32_t count, float *y, int32_t half)
{
    int32_t to = 0;
    for (int32_t n = 0; n < half; ++n) {
        y[2 * to] = 2 * n < count ? x[2 * n] : 0.0f;
        y[2 * to + 1] = 2 * n + 1 < count ? x[2 * n + 1] : 0.0f;
        to = nacre_next_reversed(to, half);
    }
}

/* Z[k] of the packed signal becomes Y[k] of the real one, k and half - k together:
 *   E = (Z[k] + conj Z[half - k]) / 2, O = (Z[k] - conj Z[half - k]) / 2i
 *   Y[k] = E + w O, Y[half - k] = conj(E - w O), w = exp(-2 pi i k / length) */
NACRE_CODE
static void separate(float *y, int32_t half, const float *twiddles)
{
    const float first = y[0];
    y[0] = first + y[1];
    y[2 * half] = first - y[1];
    y[2 * half + 1] = 0.0f;
    y[1] = 0.0f;
    for (int32_t k = 1; 2 * k <= half; ++k) {
        float *a = y + 2 * k;
        float *b = y + 2 * (half - k);
        const float *w = twiddles + 2 * k;
        const float even_re = 0.5f * (a[0] + b[0]);
        const float even_im = 0.5f * (a[1] - b[1]);
        const float odd_re = 0.5f * (a[1] + b[1]);
        const float odd_im = 0.5f * (b[0] - a[0]);
        const float turned_re = w[0] * odd_re - w[1] * odd_im;
        const float turned_im = w[0] * odd_im + w[1] * odd_re;
        a[0] = even_re + turned_re;
        a[1] = even_im + turned_im;
        b[0] = even_re - turned_re;
        b[1] = turned_im - even_im;
    }
}

NACRE_CODE
void nacre_rfft_f32(const float *input, const float *twiddles, float *output,
                    const nacre_rfft_params_t *p)
{
    const int32_t half = p->length / 2;
    for (int32_t image = 0; image < p->images; ++image) {
        for (int32_t row = 0; row < p->height; ++row) {
            const int32_t count = row < p->input_h ? nacre_min(p->input_w, p->length) : 0;
            gather(input + (count > 0 ? (size_t)(row * p->input_w) : 0), count, output, half);
            nacre_fft_f32(output, half, twiddles, 2);
            separate(output, half, twiddles);
            output += 2 * (half + 1);
        }
        input += (size_t)(p->input_h * p->input_w);
    }
}
