/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transform of complex columns, each gathered in scratch. */
#include "nacre_fft.h"

NACRE_CODE
static void transform(float *column, const float *twiddles, const nacre_fft_columns_params_t *p,
                      float *scratch)
{
    const int32_t pitch = 2 * p->width;
    int32_t to = 0;
    for (int32_t n = 0; n < p->height; ++n) {
        scratch[2 * to] = column[n * pitch];
        scratch[2 * to + 1] = column[n * pitch + 1];
        to = nacre_next_reversed(to, p->height);
    }
    nacre_fft_f32(scratch, p->height, twiddles, 1);
    for (int32_t n = 0; n < p->height; ++n) {
        column[n * pitch] = scratch[2 * n];
        column[n * pitch + 1] = scratch[2 * n + 1];
    }
}

NACRE_CODE
void nacre_fft_columns_f32(const float *twiddles, float *values,
                           const nacre_fft_columns_params_t *p, float *scratch)
{
    for (int32_t image = 0; image < p->images; ++image) {
        for (int32_t column = 0; column < p->width; ++column) {
            transform(values + 2 * column, twiddles, p, scratch);
        }
        values += 2 * p->height * p->width;
    }
}
