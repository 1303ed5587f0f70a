/* SPDX-License-Identifier: Apache-2.0 */
/* int8 max pool. */
#include "nacre_pool_dsp.h"

#if defined(__ARM_FEATURE_DSP)

typedef uint32_t sums_t;

NACRE_CODE
static inline uint32_t first(void) { return 0x80808080u; }

/* The larger of each pair of bytes. */
NACRE_CODE
static inline uint32_t add(uint32_t largest, uint32_t x)
{
    uint32_t differences;
    __asm("ssub8 %1, %2, %0\n\tsel %0, %2, %0" : "+r"(largest), "=&r"(differences) : "r"(x));
    return largest;
}

NACRE_CODE
static inline uint32_t finish(uint32_t largest, int32_t taps)
{
    (void)taps;
    return largest;
}

#include "nacre_pool_dsp_body.h"

NACRE_CODE
void nacre_max_pool2d_s8_dsp(const int8_t *input, int8_t *output, const nacre_pool2d_params_t *p,
                             nacre_rows_t rows)
{
    pool(input, output, p, rows);
}

#endif
