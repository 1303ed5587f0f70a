/* SPDX-License-Identifier: Apache-2.0 */
/* Taps of four pixels. */
#include "nacre_gather_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_mve.h"

/* r0 and r1: 16 bytes of the four pixels, from and to. */
#define COPY                                  \
    "vldrb.u8     q0, [r0]\n"                 \
    "add          r0, r5\n"                   \
    "vldrb.u8     q1, [r0]\n"                 \
    "add          r0, r5\n"                   \
    "vldrb.u8     q2, [r0]\n"                 \
    "add          r0, r5\n"                   \
    "vldrb.u8     q3, [r0]\n"                 \
    "vstrb.8      q0, [r1]\n"                 \
    "add          r1, r6\n"                   \
    "vstrb.8      q1, [r1]\n"                 \
    "add          r1, r6\n"                   \
    "vstrb.8      q2, [r1]\n"                 \
    "add          r1, r6\n"                   \
    "vstrb.8      q3, [r1]\n"

/* r2: to, r3: rows, r4: rows to go, r5: step, r6: pitch, r7: run, r8: offset */
NACRE_CODE
NACRE_NAKED void nacre_gather_mve(const nacre_gather_t *gather NACRE_UNUSED,
                                  int32_t offset NACRE_UNUSED, int8_t *to NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        "push         {r4-r11, lr}\n"
        "mov          r8, r1\n"
        "ldm          r0, {r3-r7}\n"
        "cmp          r7, #16\n"
        "bgt          2f\n"
        "1:\n"
        "ldr          r0, [r3], #4\n"
        "mov          r1, r2\n"
        "add          r0, r8\n"
        COPY
        "add          r2, r7\n"
        "subs         r4, r4, #1\n"
        "bne          1b\n"
        "pop          {r4-r11, pc}\n"
        "2:\n"
        "ldr          r9, [r3], #4\n"
        "mov          r10, r2\n"
        "add          r9, r8\n"
        "mov          r11, r7\n"
        "3:\n"
        "mov          r0, r9\n"
        "mov          r1, r10\n"
        COPY
        "add          r9, r9, #16\n"
        "add          r10, r10, #16\n"
        "subs         r11, r11, #16\n"
        "bgt          3b\n"
        "add          r2, r7\n"
        "subs         r4, r4, #1\n"
        "bne          2b\n"
        "pop          {r4-r11, pc}\n");
}

#endif
