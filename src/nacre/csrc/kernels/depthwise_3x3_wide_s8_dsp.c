/* SPDX-License-Identifier: Apache-2.0 */
/* int8 depthwise convolution, 3x3 with stride 1 along rows, weights of 16 bits, doubled. */
#include "nacre_conv_dsp.h"

#if defined(__ARM_FEATURE_DSP)

#define NACRE_TILE nacre_depthwise_tile_wide_s8_dsp
#define NACRE_TAP NACRE_DEPTHWISE_WIDE_TAP
#define WEIGHTS "ldmia lr!, {r10, r11}\n\t"
#define DOUBLED(A, B)
#define QUADRUPLED(A, B)
#include "nacre_depthwise_3x3_dsp_body.h"

NACRE_CODE
void nacre_depthwise_3x3_wide_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                                     const nacre_conv_params_t *p, nacre_rows_t rows,
                                     int32_t *scratch)
{
    convolve(input, weights, output, p, rows, scratch);
}

#endif
