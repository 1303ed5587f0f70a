/* SPDX-License-Identifier: Apache-2.0 */
/* A tile of at most 8 steps: pixels are addressed from where they are, steps are not counted. */
#include "nacre_tile_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_tile_asm_mve.h"

/* The code enters the run of steps at the first that there is; the pixels of a single step stay in
 * registers for all channels. */
NACRE_CODE
NACRE_NAKED void nacre_tile_short_s8_mve(nacre_tile_mve_t *tile NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        NACRE_TILE_ENTER
        "ldm          r0, {r1, r3, r5, r7}\n"
        "cmp          r4, #1\n"
        "beq          3f\n"
        "adr          r6, 2f\n"
        "rsb          r4, r4, #8\n"
        "movs         r8, #56\n"
        "mla          r6, r4, r8, r6\n"
        "orr          r6, r6, #1\n"
        "str          r6, [sp, #512]\n"
        "1:\n"
        "ldm          r9!, " NACRE_ACCUMULATORS
        "ldr          pc, [sp, #512]\n"
        ".p2align 2\n"
        "2:\n"
        NACRE_TILE_STEP_S8(", #112]")
        NACRE_TILE_STEP_S8(", #96]")
        NACRE_TILE_STEP_S8(", #80]")
        NACRE_TILE_STEP_S8(", #64]")
        NACRE_TILE_STEP_S8(", #48]")
        NACRE_TILE_STEP_S8(", #32]")
        NACRE_TILE_STEP_S8(", #16]")
        NACRE_TILE_STEP_S8("]")
        "stmdb        r11!, " NACRE_ACCUMULATORS
        "cmp          sp, r11\n"
        "bne          1b\n"
        "b            8f\n"
        "3:\n"
        "vldrb.u8     q0, [r1]\n"
        "vldrb.u8     q1, [r3]\n"
        "vldrb.u8     q2, [r5]\n"
        "vldrb.u8     q3, [r7]\n"
        "10:\n"
        "ldm          r9!, " NACRE_ACCUMULATORS
        "vldrw.u32    q4, [r9], #16\n"
        "vmladava.s8  r0, q0, q4\n"
        "vmladava.s8  r2, q1, q4\n"
        "vldrw.u32    q5, [r9], #16\n"
        "vmladava.s8  r4, q2, q4\n"
        "vmladava.s8  r6, q3, q4\n"
        "vmladava.s8  r8, q0, q5\n"
        "vmladava.s8  r10, q1, q5\n"
        "vmladava.s8  r12, q2, q5\n"
        "vmladava.s8  lr, q3, q5\n"
        "stmdb        r11!, " NACRE_ACCUMULATORS
        "cmp          sp, r11\n"
        "bne          10b\n"
        "8:\n"
        NACRE_TILE_LEAVE);
}

#endif
