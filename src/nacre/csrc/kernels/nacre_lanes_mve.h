/* SPDX-License-Identifier: Apache-2.0 */
/* One pixel of a depthwise convolution of int8 with Helium: sixteen channels in lanes. */
#ifndef NACRE_LANES_MVE_H
#define NACRE_LANES_MVE_H

#include "nacre_kernel.h"

/* y[c] = clamp(requantize(bias[c] + sum taps[k][c] * w[k][c]) + output_offset) for `groups` of 16
 * channels: from 0 on, the last one from `last` on.
 * stream holds for every group 16 biases, `count` times 16 weights, then 16 left shifts,
 * multipliers and right shifts as numbers <= 0. The words of 16 channels have the order 0 2 4 6,
 * 1 3 5 7, 8 10 12 14, 9 11 13 15. */
typedef struct {
    const int8_t *stream;
    int32_t groups;
    int8_t *y;
    const int8_t *const *taps;
    int32_t count;
    int32_t last;
    int32_t output_offset;
    int32_t low;
    int32_t high;
} nacre_lanes_mve_t;

void nacre_lanes_s8_mve(const nacre_lanes_mve_t *lanes);

#endif
