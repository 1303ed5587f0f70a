/* SPDX-License-Identifier: Apache-2.0 */
/* int8 depthwise convolution, 3x3 with stride 1 along rows, weights of 8 bits. */
#include "nacre_conv_dsp.h"

#if defined(__ARM_FEATURE_DSP)

#define NACRE_TILE nacre_depthwise_tile_s8_dsp
#define NACRE_TAP NACRE_DEPTHWISE_TAP
#define WEIGHTS "ldr r10, [lr], #4\n\tsxtb16 r11, r10, ror #8\n\tsxtb16 r10, r10\n\t"
#define DOUBLED(A, B) "lsl r" #A ", r" #A ", #1\n\tlsl r" #B ", r" #B ", #1\n\t"
#define QUADRUPLED(A, B) "lsl r" #A ", r" #A ", #2\n\tlsl r" #B ", r" #B ", #2\n\t"
#include "nacre_depthwise_3x3_dsp_body.h"

NACRE_CODE
void nacre_depthwise_3x3_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                                const nacre_conv_params_t *p, nacre_rows_t rows,
                                int32_t *scratch)
{
    convolve(input, weights, output, p, rows, scratch);
}

#endif
