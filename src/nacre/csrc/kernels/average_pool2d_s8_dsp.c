/* SPDX-License-Identifier: Apache-2.0 */
/* int8 average pool. */
#include "nacre_pool_dsp.h"

#if defined(__ARM_FEATURE_DSP)

/* Channels 0 and 2, 1 and 3, in halves of 16 bits. */
typedef struct {
    uint32_t even;
    uint32_t odd;
} sums_t;

NACRE_CODE
static inline sums_t first(void)
{
    const sums_t sums = {0, 0};
    return sums;
}

NACRE_CODE
static inline sums_t add(sums_t sums, uint32_t x)
{
    __asm("sxtab16 %0, %0, %1" : "+r"(sums.even) : "r"(x));
    __asm("sxtab16 %0, %0, %1, ror #8" : "+r"(sums.odd) : "r"(x));
    return sums;
}

/* sum / taps, ties away from zero, as a byte. */
NACRE_CODE
static inline uint32_t mean(int32_t sum, int32_t taps)
{
    const int32_t half = sum > 0 ? taps / 2 : -(taps / 2);
    return (uint8_t)((sum + half) / taps);
}

NACRE_CODE
static inline uint32_t finish(sums_t sums, int32_t taps)
{
    return mean((int16_t)sums.even, taps) | mean((int16_t)sums.odd, taps) << 8 |
           mean((int32_t)sums.even >> 16, taps) << 16 | mean((int32_t)sums.odd >> 16, taps) << 24;
}

#include "nacre_pool_dsp_body.h"

NACRE_CODE
void nacre_average_pool2d_s8_dsp(const int8_t *input, int8_t *output,
                                 const nacre_pool2d_params_t *p, nacre_rows_t rows)
{
    pool(input, output, p, rows);
}

#endif
