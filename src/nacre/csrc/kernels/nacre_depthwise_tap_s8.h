/* SPDX-License-Identifier: Apache-2.0 */
/* One tap of an int8 depthwise convolution, in the form that compilers vectorise. */
#ifndef NACRE_DEPTHWISE_TAP_S8_H
#define NACRE_DEPTHWISE_TAP_S8_H

#include "nacre_kernel.h"

/* acc[j] += x[j] * w[j] for 16 channels; the products fit 16 bits. */
NACRE_CODE
static inline void nacre_depthwise_tap16_s8(const int8_t *restrict x, const int8_t *restrict w,
                                            int32_t *restrict acc)
{
    int16_t products[16];
    for (int32_t j = 0; j < 16; ++j) {
        products[j] = (int16_t)(x[j] * w[j]);
    }
    for (int32_t j = 0; j < 16; ++j) {
        acc[j] = nacre_add_wrapping(acc[j], products[j]);
    }
}

/* acc[j] += x[j] * w[j] for n channels; sums wrap. */
NACRE_CODE
static inline void nacre_depthwise_tap_s8(const int8_t *restrict x, const int8_t *restrict w,
                                          int32_t n, int32_t *restrict acc)
{
    if (n == 32) {
        nacre_depthwise_tap16_s8(x, w, acc);
        nacre_depthwise_tap16_s8(x + 16, w + 16, acc + 16);
        return;
    }
    int32_t j = 0;
    for (; j + 16 <= n; j += 16) {
        nacre_depthwise_tap16_s8(x + j, w + j, acc + j);
    }
    for (; j < n; ++j) {
        acc[j] = nacre_add_wrapping(acc[j], x[j] * w[j]);
    }
}

#endif
