/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed-point transform. The including file defines RFFT_NAME, RFFT_ELEMENT, RFFT_WIDE (holds
 * products) and RFFT_BITS, the fraction bits of an element. */

typedef struct {
    RFFT_ELEMENT re;
    RFFT_ELEMENT im;
} complex_t;

NACRE_CODE
static inline RFFT_ELEMENT rounded(RFFT_WIDE product)
{
    return (RFFT_ELEMENT)((product + ((RFFT_WIDE)1 << (RFFT_BITS - 1))) >> RFFT_BITS);
}

/* x / divisor, as a product with the largest fraction over it. */
NACRE_CODE
static inline complex_t divided(complex_t x, RFFT_WIDE divisor)
{
    const RFFT_WIDE share = (((RFFT_WIDE)1 << (RFFT_BITS - 1)) - 1 +
                             ((RFFT_WIDE)1 << (RFFT_BITS - 1))) / divisor;
    return (complex_t){rounded(x.re * share), rounded(x.im * share)};
}

NACRE_CODE
static inline complex_t product(complex_t x, complex_t w)
{
    return (complex_t){rounded((RFFT_WIDE)x.re * w.re - (RFFT_WIDE)x.im * w.im),
                       rounded((RFFT_WIDE)x.re * w.im + (RFFT_WIDE)x.im * w.re)};
}

NACRE_CODE
static inline complex_t sum(complex_t a, complex_t b)
{
    return (complex_t){(RFFT_ELEMENT)((RFFT_WIDE)a.re + b.re),
                       (RFFT_ELEMENT)((RFFT_WIDE)a.im + b.im)};
}

NACRE_CODE
static inline complex_t difference(complex_t a, complex_t b)
{
    return (complex_t){(RFFT_ELEMENT)((RFFT_WIDE)a.re - b.re),
                       (RFFT_ELEMENT)((RFFT_WIDE)a.im - b.im)};
}

/* Sums are 32 bits wide whatever the element, and wrap there. */
NACRE_CODE
static inline RFFT_ELEMENT halved(RFFT_WIDE x)
{
    return (RFFT_ELEMENT)((int32_t)x >> 1);
}

/* The place that follows `at` in counting with reversed base-4 digits, a last one of base 2. */
NACRE_CODE
static int32_t next_place(int32_t at, int32_t half)
{
    int32_t step = half;
    while (step > 1) {
        const int32_t radix = step % 4 == 0 ? 4 : 2;
        step /= radix;
        const int32_t digit = at / step % radix;
        if (digit + 1 < radix) {
            return at + step;
        }
        at -= digit * step;
    }
    return at;
}

NACRE_CODE
static void radix2(complex_t *x, int32_t half, int32_t size, const complex_t *turns)
{
    for (int32_t start = 0; start < half; start += 2 * size) {
        for (int32_t k = 0; k < size; ++k) {
            complex_t *a = x + start + k;
            const complex_t first = divided(a[0], 2);
            const complex_t second =
                product(divided(a[size], 2), turns[k * (half / (2 * size))]);
            a[0] = sum(first, second);
            a[size] = difference(first, second);
        }
    }
}

NACRE_CODE
static void radix4(complex_t *x, int32_t half, int32_t size, const complex_t *turns)
{
    const int32_t step = half / (4 * size);
    for (int32_t start = 0; start < half; start += 4 * size) {
        for (int32_t k = 0; k < size; ++k) {
            complex_t *a = x + start + k;
            const complex_t first = divided(a[0], 4);
            const complex_t b1 = product(divided(a[size], 4), turns[k * step]);
            const complex_t b2 = product(divided(a[2 * size], 4), turns[2 * k * step]);
            const complex_t b3 = product(divided(a[3 * size], 4), turns[3 * k * step]);
            const complex_t s = sum(first, b2);
            const complex_t d = difference(first, b2);
            const complex_t t = sum(b1, b3);
            const complex_t u = difference(b1, b3);
            a[0] = sum(s, t);
            a[2 * size] = difference(s, t);
            a[size] = (complex_t){(RFFT_ELEMENT)((RFFT_WIDE)d.re + u.im),
                                  (RFFT_ELEMENT)((RFFT_WIDE)d.im - u.re)};
            a[3 * size] = (complex_t){(RFFT_ELEMENT)((RFFT_WIDE)d.re - u.im),
                                      (RFFT_ELEMENT)((RFFT_WIDE)d.im + u.re)};
        }
    }
}

/* The spectra of even and odd samples, which share the packed one, make that of the frame. */
NACRE_CODE
static void separate(complex_t *y, int32_t half, const complex_t *turns)
{
    const complex_t first = divided(y[0], 2);
    y[0] = (complex_t){(RFFT_ELEMENT)((RFFT_WIDE)first.re + first.im), 0};
    y[half] = (complex_t){(RFFT_ELEMENT)((RFFT_WIDE)first.re - first.im), 0};
    for (int32_t k = 1; 2 * k <= half; ++k) {
        const complex_t mirrored = {y[half - k].re, (RFFT_ELEMENT)(-(RFFT_WIDE)y[half - k].im)};
        const complex_t front = divided(y[k], 2);
        const complex_t back = divided(mirrored, 2);
        const complex_t even = sum(front, back);
        const complex_t odd = product(difference(front, back), turns[k - 1]);
        y[k] = (complex_t){halved((RFFT_WIDE)even.re + odd.re),
                           halved((RFFT_WIDE)even.im + odd.im)};
        y[half - k] = (complex_t){halved((RFFT_WIDE)even.re - odd.re),
                                  halved((RFFT_WIDE)odd.im - even.im)};
    }
}

NACRE_CODE
static void transform(const RFFT_ELEMENT *x, const complex_t *turns, complex_t *y,
                      const nacre_signal_rfft_params_t *p)
{
    const int32_t half = p->length / 2;
    int32_t place = 0;
    for (int32_t n = 0; n < half; ++n) {
        y[place].re = 2 * n < p->frame ? x[2 * n] : (RFFT_ELEMENT)0;
        y[place].im = 2 * n + 1 < p->frame ? x[2 * n + 1] : (RFFT_ELEMENT)0;
        place = next_place(place, half);
    }
    int32_t size = 1;
    int32_t rest = half;
    while (rest % 4 == 0) {
        rest /= 4;
    }
    if (rest == 2) {
        radix2(y, half, 1, turns);
        size = 2;
    }
    for (; size < half; size *= 4) {
        radix4(y, half, size, turns);
    }
    separate(y, half, turns + half);
}

NACRE_CODE
void RFFT_NAME(const RFFT_ELEMENT *input, const RFFT_ELEMENT *twiddles, RFFT_ELEMENT *output,
               const nacre_signal_rfft_params_t *p)
{
    for (int32_t frame = 0; frame < p->frames; ++frame) {
        transform(input, (const complex_t *)(const void *)twiddles, (complex_t *)(void *)output, p);
        input += p->frame;
        output += p->length + 2;
    }
}
