/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transforms of float32 signals. Complex values are pairs: real, imaginary.
 *
 *   Y[k] = sum over n of x[n] * exp(-2 pi i n k / length)
 * Twiddles are exp(-2 pi i k / length): k < length / 2 for the fast kernels, k < length for the
 * direct ones.
 */
#ifndef NACRE_FFT_H
#define NACRE_FFT_H

#include "nacre_kernel.h"

typedef struct {
    int32_t images;
    int32_t input_h;
    int32_t input_w;
    int32_t height;
    int32_t length;
} nacre_rfft_params_t;

typedef struct {
    int32_t images;
    int32_t height;
    int32_t width;
} nacre_fft_columns_params_t;

typedef struct {
    int32_t count;
} nacre_complex_params_t;

/* In place, the values in bit-reversed order: value n at position reverse(n).
 * length is a power of two, at least 1; twiddles are those of length * twiddle_step. */
void nacre_fft_f32(float *values, int32_t length, const float *twiddles, int32_t twiddle_step);

/* Each row of `length` real values becomes length / 2 + 1 complex ones. Rows are cut to or filled
 * up with zeros to `length`, images to `height` rows. fast: length is a power of two >= 4. */
void nacre_rfft_f32(const float *input, const float *twiddles, float *output,
                    const nacre_rfft_params_t *p);
void nacre_rdft_f32(const float *input, const float *twiddles, float *output,
                    const nacre_rfft_params_t *p);

/* Each column of [height][width] complex values, in place. scratch[2 * height].
 * fast: height is a power of two. */
void nacre_fft_columns_f32(const float *twiddles, float *values,
                           const nacre_fft_columns_params_t *p, float *scratch);
void nacre_dft_columns_f32(const float *twiddles, float *values,
                           const nacre_fft_columns_params_t *p, float *scratch);

/* Magnitude, real part, imaginary part of `count` values. */
void nacre_complex_abs_f32(const float *input, float *output, const nacre_complex_params_t *p);
void nacre_complex_real_f32(const float *input, float *output, const nacre_complex_params_t *p);
void nacre_complex_imag_f32(const float *input, float *output, const nacre_complex_params_t *p);

/* The position that follows `at` in bit-reversed counting below `length`, a power of two. */
NACRE_CODE
static inline int32_t nacre_next_reversed(int32_t at, int32_t length)
{
    int32_t bit = length >> 1;
    while (at & bit) {
        at ^= bit;
        bit >>= 1;
    }
    return at | bit;
}

#endif
