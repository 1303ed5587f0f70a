/* SPDX-License-Identifier: Apache-2.0 */
/* One tap of a transposed convolution of int8 values. */
#ifndef NACRE_TRANSPOSE_TAP_S8_H
#define NACRE_TRANSPOSE_TAP_S8_H

#include "nacre_dot_s16.h"

/* Channels that are widened at a time. */
enum { NACRE_TRANSPOSE_PIECE = 64 };

/* acc[j] += sum x[i] * w[j * pitch + i] for n rows of weights. */
NACRE_CODE
static inline void nacre_transpose_rows_s8(const int16_t *x, const int8_t *w, size_t pitch,
                                           int32_t channels, int32_t n, int32_t *acc)
{
    int32_t j = 0;
    for (; j + 4 <= n; j += 4) {
        nacre_dot4_s16(x, w + (size_t)j * pitch, pitch, channels, acc + j);
    }
    for (; j < n; ++j) {
        acc[j] = nacre_add_wrapping(acc[j], nacre_dot_s16(x, w + (size_t)j * pitch, channels));
    }
}

/* acc[j] += sum (x[i] - zero_point) * w[j * pitch + i] for n rows of weights. */
NACRE_CODE
static inline void nacre_transpose_tap_s8(const int8_t *x, int32_t zero_point, int32_t channels,
                                          const int8_t *w, size_t pitch, int32_t n, int32_t *acc)
{
    int16_t piece[NACRE_TRANSPOSE_PIECE];
    for (int32_t begin = 0; begin < channels; begin += NACRE_TRANSPOSE_PIECE) {
        const int32_t length = nacre_min(NACRE_TRANSPOSE_PIECE, channels - begin);
        for (int32_t i = 0; i < length; ++i) {
            piece[i] = (int16_t)(x[begin + i] - zero_point);
        }
        nacre_transpose_rows_s8(piece, w + begin, pitch, length, n, acc);
    }
}

#endif
