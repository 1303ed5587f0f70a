/* SPDX-License-Identifier: Apache-2.0 */
/* int8 3x3 depthwise convolution with stride 1, with Helium. */
#include "nacre_depthwise_mve.h"

#if defined(__ARM_FEATURE_MVE)

enum { STRIDE = 1, TURN = 2, WIDE = 2 };
#define ACROSS(lane) (2 * ((lane) & 1) + (((lane) >> 1) & 1))
#define DOWN(lane) ((lane) >> 2)
#define run_plane nacre_plane_3x3_s8_mve

/* The weight of each byte of a patch, for outputs (0,0) (0,1) (1,0) (1,1); 9 is none.
 * The second is for planes on their side. */
static const uint8_t INDEX[2][64] __attribute__((aligned(4))) = {
    {0, 1, 3, 4, 2, 9, 5, 9, 6, 7, 9, 9, 8, 9, 9, 9,
     9, 0, 9, 3, 1, 2, 4, 5, 9, 6, 9, 9, 7, 8, 9, 9,
     9, 9, 0, 1, 9, 9, 2, 9, 3, 4, 6, 7, 5, 9, 8, 9,
     9, 9, 9, 0, 9, 9, 1, 2, 9, 3, 9, 6, 4, 5, 7, 8},
    {0, 3, 1, 4, 6, 9, 7, 9, 2, 5, 9, 9, 8, 9, 9, 9,
     9, 0, 9, 1, 3, 6, 4, 7, 9, 2, 9, 9, 5, 8, 9, 9,
     9, 9, 0, 3, 9, 9, 6, 9, 1, 4, 2, 5, 7, 9, 8, 9,
     9, 9, 9, 0, 9, 9, 3, 6, 9, 1, 9, 2, 4, 7, 5, 8},
};

#include "nacre_depthwise_body_mve.h"

NACRE_CODE
NACRE_AROUND void nacre_depthwise_3x3_s8_mve(const int8_t *input, const int8_t *constants,
                                             int8_t *output,
                                             const nacre_depthwise_mve_params_t *p,
                                             nacre_rows_t rows, int8_t *scratch)
{
    convolve(input, constants, output, p, rows, scratch);
}

#endif
