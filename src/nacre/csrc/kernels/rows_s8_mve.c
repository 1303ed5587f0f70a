/* SPDX-License-Identifier: Apache-2.0 */
/* Eight rows of weights against one vector. */
#include "nacre_rows_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_mve.h"

/*            x (q0)
 *   w0 (q1)  r0         r1: x       r3: its last step    r5: rows
 *   w1 (q2)  r2         r7: steps   r9: stream           r11: acc
 *   w2 (q1)  r4         one row of weights is loaded while
 *   ...      ...        another is multiplied
 *   w7 (q2)  lr
 */
#define ROWS(a, b)                            \
    "vldrw.u32    q1, [r9], #16\n"            \
    "vmladava.s8  " a ", q0, q1\n"            \
    "vldrw.u32    q2, [r9], #16\n"            \
    "vmladava.s8  " b ", q0, q2\n"

#define STEP ROWS("r0", "r2") ROWS("r4", "r6") ROWS("r8", "r10") ROWS("r12", "lr")

NACRE_CODE
NACRE_NAKED const int8_t *nacre_rows_s8_mve(const nacre_rows_mve_t *rows NACRE_UNUSED,
                                            const int8_t *stream NACRE_UNUSED,
                                            int32_t *acc NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        "push         {r0, r4-r11, lr}\n"
        "mov          r5, r0\n"
        "mov          r9, r1\n"
        "mov          r11, r2\n"
        "ldm          r5, {r1, r7, r8, r10}\n"
        "sub          r3, r7, #1\n"
        "add          r3, r1, r3, lsl #4\n"
        "vctp.8       r8\n"
        "str          r10, [sp]\n"
        "1:\n"
        "ldm          r9!, {r0, r2, r4, r6, r8, r10, r12, lr}\n"
        "vpst\n"
        "vldrbt.u8    q0, [r3]\n"
        "ldrd         r1, r7, [r5]\n"
        "b            3f\n"
        "2:\n"
        "vldrb.u8     q0, [r1], #16\n"
        "3:\n"
        STEP
        "subs         r7, r7, #1\n"
        "beq          4f\n"
        "vldrb.u8     q0, [r1], #16\n"
        STEP
        "subs         r7, r7, #1\n"
        "bne          2b\n"
        "4:\n"
        "stm          r11!, {r0, r2, r4, r6, r8, r10, r12, lr}\n"
        "ldr          r0, [sp]\n"
        "subs         r0, r0, #1\n"
        "str          r0, [sp]\n"
        "bne          1b\n"
        "mov          r0, r9\n"
        "add          sp, #4\n"
        "pop          {r4-r11, pc}\n");
}

#endif
