/* SPDX-License-Identifier: Apache-2.0 */
/* int8 3x3 depthwise convolution with stride 2, with Helium. */
#include "nacre_depthwise_mve.h"

#if defined(__ARM_FEATURE_MVE)

enum { STRIDE = 2, TURN = 8, WIDE = 1 };
#define ACROSS(lane) (((lane) >> 1) + 4 * ((lane) & 1))
#define DOWN(lane) (0 * (lane))
#define run_plane nacre_plane_3x3_stride2_s8_mve

/* The weight of each byte of a patch, row by row; 9 is none.
 * The second is for planes on their side. */
static const uint8_t INDEX[2][16] __attribute__((aligned(4))) = {
    {0, 1, 3, 4, 2, 9, 5, 9, 6, 7, 9, 9, 8, 9, 9, 9},
    {0, 3, 1, 4, 6, 9, 7, 9, 2, 5, 9, 9, 8, 9, 9, 9},
};

#include "nacre_depthwise_body_mve.h"

NACRE_CODE
NACRE_AROUND void nacre_depthwise_3x3_stride2_s8_mve(const int8_t *input, const int8_t *constants,
                                                     int8_t *output,
                                                     const nacre_depthwise_mve_params_t *p,
                                                     nacre_rows_t rows, int8_t *scratch)
{
    convolve(input, constants, output, p, rows, scratch);
}

#endif
