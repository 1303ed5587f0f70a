/* SPDX-License-Identifier: Apache-2.0 */
/* int8 convolution, weights of 16 bits, doubled. */
#include "nacre_conv_dsp.h"

#if defined(__ARM_FEATURE_DSP)

/* Bytes of code for four taps. */
enum { GROUP = 40 };
/* Weights of two channels to r8 - r11; sums, doubled. */
#define WEIGHTS \
    "ldmia.w lr!, {r8-r11}\n\t"
#define DOUBLED

#include "nacre_conv2d_dsp_body.h"

NACRE_CODE
void nacre_conv2d_wide_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                              const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch)
{
    convolve(input, weights, output, p, rows, scratch);
}

#endif
