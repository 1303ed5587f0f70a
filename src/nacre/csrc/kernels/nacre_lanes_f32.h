/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of float products for several output channels side by side: each sum keeps its order. */
#ifndef NACRE_LANES_F32_H
#define NACRE_LANES_F32_H

#include "nacre_kernel.h"

/* acc[j] += sum over i of x[i] * w[i * pitch + j] for `lanes` channels j. Call it with a constant
 * number of lanes, so that the accumulators live in registers. */
NACRE_CODE
static inline void nacre_lanes_f32(const float *x, int32_t n, const float *w, size_t pitch,
                                   float *restrict acc, int32_t lanes)
{
    for (int32_t i = 0; i < n; ++i) {
        const float value = x[i];
        for (int32_t j = 0; j < lanes; ++j) {
            acc[j] += value * w[j];
        }
        w += pitch;
    }
}

#endif
