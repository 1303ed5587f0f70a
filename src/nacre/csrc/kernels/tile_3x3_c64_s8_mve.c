/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of a 3x3 convolution of 64 channels. */
#include "nacre_tile_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_tile_3x3_mve.h"

NACRE_CODE
NACRE_NAKED void nacre_tile_3x3_c64_s8_mve(nacre_tile_mve_t *tile NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        NACRE_TILE_3X3(
        NACRE_ROW_3X3("0", "64", "128", "192", "256", "320")
        NACRE_ROW_3X3("16", "80", "144", "208", "272", "336")
        NACRE_ROW_3X3("32", "96", "160", "224", "288", "352")
        NACRE_ROW_3X3("48", "112", "176", "240", "304", "368")));
}

#endif
