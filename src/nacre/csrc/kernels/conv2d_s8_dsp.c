/* SPDX-License-Identifier: Apache-2.0 */
/* int8 convolution, weights of 8 bits. */
#include "nacre_conv_dsp.h"

#if defined(__ARM_FEATURE_DSP)

/* Bytes of code for four taps. */
enum { GROUP = 56 };
/* Weights of two channels to r8 - r11; sums, doubled. */
#define WEIGHTS \
    "ldmia.w lr!, {r8, r10}\n\t" \
    "sxtb16 r9, r8, ror #8\n\t" \
    "sxtb16 r8, r8\n\t" \
    "sxtb16 r11, r10, ror #8\n\t" \
    "sxtb16 r10, r10\n\t"
#define DOUBLED \
    "lsl r0, r0, #1\n\t" \
    "lsl r1, r1, #1\n\t" \
    "lsl r2, r2, #1\n\t" \
    "lsl r3, r3, #1\n\t"

#include "nacre_conv2d_dsp_body.h"

NACRE_CODE
void nacre_conv2d_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                         const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch)
{
    convolve(input, weights, output, p, rows, scratch);
}

#endif
