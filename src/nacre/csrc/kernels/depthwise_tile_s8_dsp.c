/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of one pixel of a depthwise convolution, weights of 8 bits. */
#include "nacre_conv_dsp.h"

#if defined(__ARM_FEATURE_DSP)

#define NACRE_TILE nacre_depthwise_tile_s8_dsp
#define LOADED "ldr.w r6, [lr], #4\n\t"
#define WIDENED "sxtb16 r7, r6, ror #8\n\tsxtb16 r6, r6\n\t"
#define DOUBLED \
    "lsl r0, r0, #1\n\t" \
    "lsl r1, r1, #1\n\t" \
    "lsl r2, r2, #1\n\t" \
    "lsl r3, r3, #1\n\t"
#include "nacre_depthwise_tile_dsp_body.h"

#endif
