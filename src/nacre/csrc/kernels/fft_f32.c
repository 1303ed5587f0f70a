/* SPDX-License-Identifier: Apache-2.0 */
/* Complex Fourier transform in place: radix 4, with one radix-2 stage for odd powers of two. */
#include "nacre_fft.h"

typedef struct {
    float re;
    float im;
} complex_t;

NACRE_CODE
static inline complex_t load(const float *x) { return (complex_t){x[0], x[1]}; }

NACRE_CODE
static inline void store(float *x, float re, float im)
{
    x[0] = re;
    x[1] = im;
}

/* x * w. */
NACRE_CODE
static inline complex_t product(const float *x, const float *w)
{
    return (complex_t){x[0] * w[0] - x[1] * w[1], x[0] * w[1] + x[1] * w[0]};
}

/* Four transforms, of the samples 0, 2, 1, 3 modulo 4, become one at the same places:
 *   s = a0 + a1, d = a0 - a1 (samples 0, 2), t = a2 + a3, u = a2 - a3 (samples 1, 3)
 *   s + t, d - i u, s - t, d + i u */
NACRE_CODE
static inline void butterfly(float *x, int32_t quarter, complex_t a1, complex_t a2, complex_t a3)
{
    const complex_t a0 = load(x);
    const complex_t s = {a0.re + a1.re, a0.im + a1.im};
    const complex_t d = {a0.re - a1.re, a0.im - a1.im};
    const complex_t t = {a2.re + a3.re, a2.im + a3.im};
    const complex_t u = {a2.re - a3.re, a2.im - a3.im};
    store(x, s.re + t.re, s.im + t.im);
    store(x + 2 * quarter, d.re + u.im, d.im - u.re);
    store(x + 4 * quarter, s.re - t.re, s.im - t.im);
    store(x + 6 * quarter, d.re - u.im, d.im + u.re);
}

NACRE_CODE
static void radix2(float *x, int32_t length)
{
    for (int32_t i = 0; i < length; i += 2) {
        const complex_t a = load(x);
        const complex_t b = load(x + 2);
        store(x, a.re + b.re, a.im + b.im);
        store(x + 2, a.re - b.re, a.im - b.im);
        x += 4;
    }
}

/* One stage: groups of four transforms of `quarter` values; `step` twiddles per 1 / (4 quarter). */
NACRE_CODE
static void radix4(float *values, int32_t length, int32_t quarter, const float *twiddles,
                   int32_t step)
{
    for (int32_t start = 0; start < length; start += 4 * quarter) {
        float *x = values + 2 * start;
        butterfly(x, quarter, load(x + 2 * quarter), load(x + 4 * quarter), load(x + 6 * quarter));
        for (int32_t k = 1; k < quarter; ++k) {
            const float *w = twiddles + 2 * k * step;
            const float w3[2] = {w[0] * twiddles[4 * k * step] - w[1] * twiddles[4 * k * step + 1],
                                 w[0] * twiddles[4 * k * step + 1] + w[1] * twiddles[4 * k * step]};
            x += 2;
            butterfly(x, quarter, product(x + 2 * quarter, twiddles + 4 * k * step),
                      product(x + 4 * quarter, w), product(x + 6 * quarter, w3));
        }
    }
}

NACRE_CODE
void nacre_fft_f32(float *values, int32_t length, const float *twiddles, int32_t twiddle_step)
{
    int32_t quarter = 1;
    int32_t bits = 0;
    while ((length >> bits) > 1) {
        ++bits;
    }
    if (bits % 2 == 1) {
        radix2(values, length);
        quarter = 2;
    }
    for (; quarter < length; quarter *= 4) {
        radix4(values, length, quarter, twiddles, twiddle_step * (length / (4 * quarter)));
    }
}
