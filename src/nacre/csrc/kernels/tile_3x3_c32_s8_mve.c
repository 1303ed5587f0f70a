/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of a 3x3 convolution of 32 channels. */
#include "nacre_tile_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_tile_3x3_mve.h"

NACRE_CODE
NACRE_NAKED void nacre_tile_3x3_c32_s8_mve(nacre_tile_mve_t *tile NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        NACRE_TILE_3X3(
        NACRE_ROW_3X3("0", "32", "64", "96", "128", "160")
        NACRE_ROW_3X3("16", "48", "80", "112", "144", "176")));
}

#endif
