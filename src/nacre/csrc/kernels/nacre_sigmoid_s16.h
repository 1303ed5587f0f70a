/* SPDX-License-Identifier: Apache-2.0 */
/* int16 sigmoids by interpolation: the input s counts steps of 1 / 12288, the result is Q0.15. */
#ifndef NACRE_SIGMOID_S16_H
#define NACRE_SIGMOID_S16_H

#include "nacre_kernel.h"

/* x * multiplier / 2^shift, rounded up at the half. */
NACRE_CODE
static inline int32_t nacre_sigmoid_input(int16_t x, int32_t multiplier, int32_t shift)
{
    const int32_t half = (int32_t)((UINT32_C(1) << shift) >> 1);
    return (x * multiplier + half) >> shift;
}

/* table at magnitude / 2^bits, times 2^bits; `largest` from the last entry on. */
NACRE_CODE
static inline int32_t nacre_sigmoid_interpolate(const uint16_t *table, uint32_t magnitude,
                                                uint32_t bits, int32_t largest)
{
    const uint32_t index = magnitude >> bits;
    if (index >= 255) {
        return largest;
    }
    const uint32_t part = magnitude & ((UINT32_C(1) << bits) - 1);
    const uint32_t low = table[index];
    return (int32_t)((low << bits) + part * (table[index + 1] - low));
}

NACRE_CODE
static inline int16_t nacre_logistic_step(const uint16_t *table, int32_t s)
{
    const uint32_t magnitude = s < 0 ? 0u - (uint32_t)s : (uint32_t)s;
    const int32_t value = nacre_sigmoid_interpolate(table, magnitude, 9, 0x7FFF << 10);
    const int32_t result = s >= 0 ? value + (1 << 9) : (1 << 25) - value + (1 << 9) - 1;
    return (int16_t)(result >> 10);
}

NACRE_CODE
static inline int16_t nacre_tanh_step(const uint16_t *table, int32_t s)
{
    const uint32_t magnitude = s < 0 ? 0u - (uint32_t)s : (uint32_t)s;
    const int32_t value = nacre_sigmoid_interpolate(table, magnitude, 8, 0xFFFF << 8) - (1 << 23);
    const int32_t result = s >= 0 ? value + (1 << 7) : (1 << 7) - 1 - value;
    return (int16_t)(result >> 8);
}

#endif
