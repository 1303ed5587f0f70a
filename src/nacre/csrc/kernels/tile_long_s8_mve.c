/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of any number of steps: eight to a turn, the first turn begins inside. */
#include "nacre_tile_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_tile_asm_mve.h"

/* [sp, #528]: the four pixels and the turns, as every pair of channels begins with them. */
NACRE_CODE
NACRE_NAKED void nacre_tile_long_s8_mve(nacre_tile_mve_t *tile NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        NACRE_TILE_ENTER
        "str          r11, [sp, #520]\n"
        "adds         r5, r4, #7\n"
        "lsrs         r5, r5, #3\n"
        "ldm          r0, {r0, r1, r2, r3}\n"
        "strd         r0, r1, [sp, #528]\n"
        "strd         r2, r3, [sp, #536]\n"
        "str          r5, [sp, #544]\n"
        "negs         r4, r4\n"
        "and          r4, r4, #7\n"
        "adr          r6, 2f\n"
        "movs         r3, #56\n"
        "mla          r6, r4, r3, r6\n"
        "orr          r6, r6, #1\n"
        "str          r6, [sp, #512]\n"
        "1:\n"
        "add          r11, sp, #528\n"
        "ldm          r11, {r1, r3, r5, r7, r11}\n"
        "ldm          r9!, " NACRE_ACCUMULATORS
        "ldr          pc, [sp, #512]\n"
        ".p2align 2\n"
        "2:\n"
        NACRE_TILE_STEP_S8("], #16")
        NACRE_TILE_STEP_S8("], #16")
        NACRE_TILE_STEP_S8("], #16")
        NACRE_TILE_STEP_S8("], #16")
        NACRE_TILE_STEP_S8("], #16")
        NACRE_TILE_STEP_S8("], #16")
        NACRE_TILE_STEP_S8("], #16")
        NACRE_TILE_STEP_S8("], #16")
        "subs         r11, r11, #1\n"
        "bne          2b\n"
        "ldr          r11, [sp, #520]\n"
        "stmdb        r11!, " NACRE_ACCUMULATORS
        "str          r11, [sp, #520]\n"
        "cmp          sp, r11\n"
        "bne          1b\n"
        NACRE_TILE_LEAVE);
}

#endif
