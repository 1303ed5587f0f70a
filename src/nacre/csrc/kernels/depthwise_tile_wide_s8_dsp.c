/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of one pixel of a depthwise convolution, weights of 16 bits, doubled. */
#include "nacre_conv_dsp.h"

#if defined(__ARM_FEATURE_DSP)

#define NACRE_TILE nacre_depthwise_tile_wide_s8_dsp
#define LOADED "ldmia.w lr!, {r6, r7}\n\t"
#define WIDENED
#define DOUBLED
#include "nacre_depthwise_tile_dsp_body.h"

#endif
