/* SPDX-License-Identifier: Apache-2.0 */
/* One pixel of a depthwise convolution. The including file names the function NACRE_TILE and says
 * how a tap's weights come to r6 and r7 (LOADED, WIDENED), and how sums are DOUBLED. */
#ifndef NACRE_DEPTHWISE_TILE_DSP_BODY_H
#define NACRE_DEPTHWISE_TILE_DSP_BODY_H

#include "nacre_conv_dsp.h"

/* Four channels of one pixel:
 *
 *   x   r4: c0 c2    r5: c1 c3         r9   pointers to the taps    r11  blocks left
 *   w   r6: c0 c2    r7: c1 c3         r10  index                   r12  y
 *   acc r0  c0, r1  c1, r2  c2, r3  c3                              lr   stream of weights
 *
 * On the stack: taps, blocks, where the first block begins, end of y. */
NACRE_CODE
void NACRE_TILE(const nacre_depthwise_tile_t *tile)
{
    register const nacre_depthwise_tile_t *r0 __asm("r0") = tile;
    __asm volatile(
        "push {r4-r11, lr}\n\t"
        "ldmia r0, {r1-r5, r10, lr}\n\t"
        "mov r12, r5\n\t"
        ".balign 4\n\t"
        "adr.w r7, 2f\n\t"
        "add r3, r3, r7\n\t"
        "add r3, r3, #1\n\t"
        "sub sp, sp, #20\n\t"
        "stmia sp, {r1-r4}\n\t"
        "1: ldrd r9, r11, [sp]\n\t"
        "ldr r8, [sp, #8]\n\t"
        "ldmia lr!, {r0-r3}\n\t"
        "bx r8\n\t"
        ".balign 4\n\t"
        "2:\n\t"
        ".rept 9\n\t"
        "ldr.w r4, [r9], #4\n\t"
        LOADED
        "ldr.w r4, [r4, r10]\n\t"
        WIDENED
        "sxtb16 r5, r4, ror #8\n\t"
        "sxtb16 r4, r4\n\t"
        "smlabb r0, r4, r6, r0\n\t"
        "smlatt r2, r4, r6, r2\n\t"
        "smlabb r1, r5, r7, r1\n\t"
        "smlatt r3, r5, r7, r3\n\t"
        ".endr\n\t"
        "subs r11, r11, #1\n\t"
        "bne.w 2b\n\t"
        "ldmia lr!, {r4-r9}\n\t"
        DOUBLED
        "cmp r6, #0\n\t"
        "blt.w 4f\n\t"
        "add r11, r5, r0, asr #31\n\t"
        "smmlar r0, r0, r4, r11\n\t"
        "add r11, r8, r1, asr #31\n\t"
        "smmlar r1, r1, r7, r11\n\t"
        "asr r0, r0, r6\n\t"
        "asr r1, r1, r9\n\t"
        "ldmia lr!, {r4-r9}\n\t"
        "add r11, r5, r2, asr #31\n\t"
        "smmlar r2, r2, r4, r11\n\t"
        "add r11, r8, r3, asr #31\n\t"
        "smmlar r3, r3, r7, r11\n\t"
        "3: asr r2, r2, r6\n\t"
        "asr r3, r3, r9\n\t"
        "ssat r0, #8, r0\n\t"
        "ssat r1, #8, r1\n\t"
        "ssat r2, #8, r2\n\t"
        "ssat r3, #8, r3\n\t"
        "strb r1, [r12, #1]\n\t"
        "strb r2, [r12, #2]\n\t"
        "strb r3, [r12, #3]\n\t"
        "strb r0, [r12], #4\n\t"
        "ldr r4, [sp, #12]\n\t"
        "add r10, r10, #4\n\t"
        "cmp r12, r4\n\t"
        "bne.w 1b\n\t"
        "b 5f\n\t"
        "4:\n\t" /* rounds once */
        DOUBLED
        "smmla r0, r0, r4, r5\n\t"
        "smmla r1, r1, r7, r8\n\t"
        "asr r0, r0, r6\n\t"
        "asr r1, r1, r9\n\t"
        "ldmia lr!, {r4-r9}\n\t"
        "smmla r2, r2, r4, r5\n\t"
        "smmla r3, r3, r7, r8\n\t"
        "b 3b\n\t"
        "5: add sp, sp, #20\n\t"
        "pop {r4-r11, lr}\n\t"
        : "+r"(r0)
        :
        : "r1", "r2", "r3", "r12", "lr", "cc", "memory");
}

#endif
