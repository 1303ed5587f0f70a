/* SPDX-License-Identifier: Apache-2.0 */
/* Products of int16 and int8 vectors of any length, summed in 64 bits. */
#ifndef NACRE_RUN_S16_H
#define NACRE_RUN_S16_H

#include "nacre_dot_s16.h"

/* Products that 32 bits hold for certain: 2^31 / (2^15 * 2^7), halved. */
enum { NACRE_RUN_S16 = 256 };

/* acc[j] += sum x[i] * w[j * pitch + i] for n <= 4 rows j of weights. */
NACRE_CODE
static inline void nacre_run_s16(const int16_t *x, const int8_t *w, size_t pitch, int32_t taps,
                                 int32_t n, int64_t *acc)
{
    for (int32_t begin = 0; begin < taps; begin += NACRE_RUN_S16) {
        const int32_t length = nacre_min(NACRE_RUN_S16, taps - begin);
        int32_t sums[4] = {0, 0, 0, 0};
        if (n == 4) {
            nacre_dot4_s16(x + begin, w + begin, pitch, length, sums);
        } else {
            for (int32_t j = 0; j < n; ++j) {
                sums[j] = nacre_dot_s16(x + begin, w + (size_t)j * pitch + begin, length);
            }
        }
        for (int32_t j = 0; j < n; ++j) {
            acc[j] += sums[j];
        }
    }
}

#endif
