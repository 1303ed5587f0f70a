/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transform of complex columns of any height, straight from the definition. */
#include "nacre_fft.h"

NACRE_CODE
static void transform(float *column, const float *twiddles, const nacre_fft_columns_params_t *p,
                      float *scratch)
{
    const int32_t pitch = 2 * p->width;
    for (int32_t k = 0; k < p->height; ++k) {
        float re = 0.0f;
        float im = 0.0f;
        int32_t turn = 0;
        for (int32_t n = 0; n < p->height; ++n) {
            const float *x = column + n * pitch;
            const float *w = twiddles + 2 * turn;
            re += x[0] * w[0] - x[1] * w[1];
            im += x[0] * w[1] + x[1] * w[0];
            turn += k;
            turn -= turn >= p->height ? p->height : 0;
        }
        scratch[2 * k] = re;
        scratch[2 * k + 1] = im;
    }
    for (int32_t k = 0; k < p->height; ++k) {
        column[k * pitch] = scratch[2 * k];
        column[k * pitch + 1] = scratch[2 * k + 1];
    }
}

NACRE_CODE
void nacre_dft_columns_f32(const float *twiddles, float *values,
                           const nacre_fft_columns_params_t *p, float *scratch)
{
    for (int32_t image = 0; image < p->images; ++image) {
        for (int32_t column = 0; column < p->width; ++column) {
            transform(values + 2 * column, twiddles, p, scratch);
        }
        values += 2 * p->height * p->width;
    }
}
