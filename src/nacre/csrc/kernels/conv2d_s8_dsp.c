/* SPDX-License-Identifier: Apache-2.0 */
/* int8 convolution, weights of 8 bits. */
#include "nacre_conv_dsp.h"

#if defined(__ARM_FEATURE_DSP)

/* Bytes of code for four taps. */
enum { GROUP = 56 };

/* Two pixels by two channels:
 *
 *                 w0  r8 r9   w1  r10 r11       r12  taps, four words a group
 *   x0  r4 r5        r0           r1            lr   stream of weights
 *   x1  r6 r7        r2           r3
 *
 * On the stack: x, y0, y1, its end, where the first block begins, end of the stream. */
NACRE_CODE
static void multiply(const nacre_conv_tile_t *tile)
{
    register const nacre_conv_tile_t *r0 __asm("r0") = tile;
    __asm volatile(
        "push {r4-r11, lr}\n\t"
        "ldmia r0, {r1-r7}\n\t"
        "mov lr, r6\n\t"
        "mov r6, r7\n\t"
        ".balign 4\n\t"
        "adr.w r7, 2f\n\t"
        "add r5, r5, r7\n\t"
        "add r5, r5, #1\n\t"
        "sub sp, sp, #24\n\t"
        "stmia sp, {r1-r6}\n\t"
        "1: ldr r5, [sp, #16]\n\t"
        "ldmia lr!, {r0, r1}\n\t"
        "ldr r12, [sp]\n\t"
        "mov r2, r0\n\t"
        "mov r3, r1\n\t"
        "bx r5\n\t"
        ".balign 4\n\t"
        "2:\n\t"
        ".rept 8\n\t"
        "ldmia.w r12!, {r4-r7}\n\t"
        "ldmia.w lr!, {r8, r10}\n\t"
        "sxtb16 r9, r8, ror #8\n\t"
        "sxtb16 r8, r8\n\t"
        "sxtb16 r11, r10, ror #8\n\t"
        "sxtb16 r10, r10\n\t"
        "smlad r0, r4, r8, r0\n\t"
        "smlad r1, r4, r10, r1\n\t"
        "smlad r2, r6, r8, r2\n\t"
        "smlad r3, r6, r10, r3\n\t"
        "smlad r0, r5, r9, r0\n\t"
        "smlad r1, r5, r11, r1\n\t"
        "smlad r2, r7, r9, r2\n\t"
        "smlad r3, r7, r11, r3\n\t"
        ".endr\n\t"
        "ldr r4, [sp, #12]\n\t"
        "cmp r12, r4\n\t"
        "bne.w 2b\n\t"
        "ldmia lr!, {r4-r9}\n\t"
        "lsl r0, r0, #1\n\t"
        "lsl r1, r1, #1\n\t"
        "lsl r2, r2, #1\n\t"
        "lsl r3, r3, #1\n\t"
        "cmp r6, #0\n\t"
        "blt.w 4f\n\t"
        "add r10, r5, r0, asr #31\n\t"
        "smmlar r0, r0, r4, r10\n\t"
        "add r10, r5, r2, asr #31\n\t"
        "smmlar r2, r2, r4, r10\n\t"
        "add r10, r8, r1, asr #31\n\t"
        "smmlar r1, r1, r7, r10\n\t"
        "add r10, r8, r3, asr #31\n\t"
        "smmlar r3, r3, r7, r10\n\t"
        "3: asr r0, r0, r6\n\t"
        "asr r1, r1, r9\n\t"
        "asr r2, r2, r6\n\t"
        "asr r3, r3, r9\n\t"
        "ldrd r10, r11, [sp, #4]\n\t"
        "ssat r0, #8, r0\n\t"
        "ssat r1, #8, r1\n\t"
        "ssat r2, #8, r2\n\t"
        "ssat r3, #8, r3\n\t"
        "strb r3, [r11, #1]\n\t"
        "strb r2, [r11], #2\n\t"
        "strb r1, [r10, #1]\n\t"
        "strb r0, [r10], #2\n\t"
        "strd r10, r11, [sp, #4]\n\t"
        "ldr r4, [sp, #20]\n\t"
        "cmp lr, r4\n\t"
        "bne.w 1b\n\t"
        "b 5f\n\t"
        "4:\n\t" /* rounds once */
        "lsl r0, r0, #1\n\t"
        "lsl r1, r1, #1\n\t"
        "lsl r2, r2, #1\n\t"
        "lsl r3, r3, #1\n\t"
        "smmla r0, r0, r4, r5\n\t"
        "smmla r2, r2, r4, r5\n\t"
        "smmla r1, r1, r7, r8\n\t"
        "smmla r3, r3, r7, r8\n\t"
        "b 3b\n\t"
        "5: add sp, sp, #24\n\t"
        "pop {r4-r11, lr}\n\t"
        : "+r"(r0)
        :
        : "r1", "r2", "r3", "r12", "lr", "cc", "memory");
}

#include "nacre_conv2d_dsp_body.h"

NACRE_CODE
void nacre_conv2d_s8_dsp(const int8_t *input, const int32_t *weights, int8_t *output,
                         const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch)
{
    convolve(input, weights, output, p, rows, scratch);
}

#endif
