/* SPDX-License-Identifier: Apache-2.0 */
/* int8 convolution of any number of taps with Helium. */
#include "nacre_conv2d_mve.h"

#if defined(__ARM_FEATURE_MVE)

#define run_tile nacre_tile_long_s8_mve
#include "nacre_conv2d_body_mve.h"

NACRE_CODE
NACRE_AROUND void nacre_conv2d_s8_mve(const int8_t *input, const int8_t *weights,
                                      const int32_t *requant, int8_t *output,
                                      const nacre_conv_mve_params_t *p, nacre_rows_t rows,
                                      int8_t *scratch)
{
    convolve(input, weights, requant, output, p, rows, scratch);
}

#endif
