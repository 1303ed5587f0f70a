/* SPDX-License-Identifier: Apache-2.0 */
/* int8 fully connected layer, weights of 16 bits, doubled. */
#include "nacre_fully_connected_dsp.h"

#if defined(__ARM_FEATURE_DSP)

/* Bytes of code for four inputs, words of weights for them. */
enum { GROUP = 52, WORDS = 8 };

/* One row by four outputs:
 *
 *   x   r4: b0 b2    r5: b1 b3        r11  x, r12 its end
 *   w   r6 r7, r8 r9: of two outputs
 *   acc r0, r1, r2, r3                lr   stream of weights
 *
 * On the stack: dot, which keeps what does not fit. */
NACRE_CODE
static void multiply(nacre_dot_t *dot)
{
    register nacre_dot_t *r0 __asm("r0") = dot;
    __asm volatile(
        "push {r0, r4-r11, lr}\n\t"
        "ldr lr, [r0, #36]\n\t"
        ".balign 4\n\t"
        "adr.w r4, 2f\n\t"
        "ldr r5, [r0]\n\t"
        "add r5, r5, r4\n\t"
        "add r5, r5, #1\n\t"
        "str r5, [r0]\n\t"
        "1: ldr r10, [sp]\n\t"
        "ldmia lr!, {r0-r3}\n\t"
        "ldmia r10, {r10-r12}\n\t"
        "bx r10\n\t"
        ".balign 4\n\t"
        "2:\n\t"
        ".rept 8\n\t"
        "ldr.w r4, [r11], #4\n\t"
        "ldmia.w lr!, {r6-r9}\n\t"
        "sxtb16 r5, r4, ror #8\n\t"
        "sxtb16 r4, r4\n\t"
        "smlad r0, r4, r6, r0\n\t"
        "smlad r1, r4, r8, r1\n\t"
        "smlad r0, r5, r7, r0\n\t"
        "smlad r1, r5, r9, r1\n\t"
        "ldmia.w lr!, {r6-r9}\n\t"
        "smlad r2, r4, r6, r2\n\t"
        "smlad r3, r4, r8, r3\n\t"
        "smlad r2, r5, r7, r2\n\t"
        "smlad r3, r5, r9, r3\n\t"
        ".endr\n\t"
        "cmp r11, r12\n\t"
        "bne.w 2b\n\t"
        "ldr r8, [sp]\n\t"
        "ldrd r4, r5, [r8, #12]\n\t"
        "cbz r5, 3f\n\t"
        "ldmia.w lr!, {r6-r9}\n\t"
        "sxtb16 r5, r4, ror #8\n\t"
        "sxtb16 r4, r4\n\t"
        "smlad r0, r4, r6, r0\n\t"
        "smlad r1, r4, r8, r1\n\t"
        "smlad r0, r5, r7, r0\n\t"
        "smlad r1, r5, r9, r1\n\t"
        "ldmia.w lr!, {r6-r9}\n\t"
        "smlad r2, r4, r6, r2\n\t"
        "smlad r3, r4, r8, r3\n\t"
        "smlad r2, r5, r7, r2\n\t"
        "smlad r3, r5, r9, r3\n\t"
        "3: ldr r8, [sp]\n\t"
        "ldr r12, [r8, #28]\n\t"
        "ldrd r9, r10, [r8, #20]\n\t"
        "ldmia r9, {r4-r6}\n\t"
        "add r9, r9, r10\n\t"
        "cmp r6, #0\n\t"
        "itte ge\n\t"
        "addge r7, r5, r0, asr #31\n\t"
        "smmlarge r0, r0, r4, r7\n\t"
        "smmlalt r0, r0, r4, r5\n\t"
        "asr r0, r0, r6\n\t"
        "ssat r0, #8, r0\n\t"
        "strb r0, [r12], #1\n\t"
        "ldmia r9, {r4-r6}\n\t"
        "add r9, r9, r10\n\t"
        "cmp r6, #0\n\t"
        "itte ge\n\t"
        "addge r7, r5, r1, asr #31\n\t"
        "smmlarge r1, r1, r4, r7\n\t"
        "smmlalt r1, r1, r4, r5\n\t"
        "asr r1, r1, r6\n\t"
        "ssat r1, #8, r1\n\t"
        "strb r1, [r12], #1\n\t"
        "ldmia r9, {r4-r6}\n\t"
        "add r9, r9, r10\n\t"
        "cmp r6, #0\n\t"
        "itte ge\n\t"
        "addge r7, r5, r2, asr #31\n\t"
        "smmlarge r2, r2, r4, r7\n\t"
        "smmlalt r2, r2, r4, r5\n\t"
        "asr r2, r2, r6\n\t"
        "ssat r2, #8, r2\n\t"
        "strb r2, [r12], #1\n\t"
        "ldmia r9, {r4-r6}\n\t"
        "add r9, r9, r10\n\t"
        "cmp r6, #0\n\t"
        "itte ge\n\t"
        "addge r7, r5, r3, asr #31\n\t"
        "smmlarge r3, r3, r4, r7\n\t"
        "smmlalt r3, r3, r4, r5\n\t"
        "asr r3, r3, r6\n\t"
        "ssat r3, #8, r3\n\t"
        "strb r3, [r12], #1\n\t"
        "str r9, [r8, #20]\n\t"
        "str r12, [r8, #28]\n\t"
        "ldr r4, [r8, #32]\n\t"
        "cmp r12, r4\n\t"
        "bne.w 1b\n\t"
        "pop {r0, r4-r11, lr}\n\t"
        : "+r"(r0)
        :
        : "r1", "r2", "r3", "r12", "lr", "cc", "memory");
}

#include "nacre_fully_connected_dsp_body.h"

NACRE_CODE
void nacre_fully_connected_wide_s8_dsp(const int8_t *input, const int32_t *weights,
                                       const int32_t *requant, int8_t *output,
                                       const nacre_fully_connected_params_t *p)
{
    connect(input, weights, requant, output, p);
}

#endif
