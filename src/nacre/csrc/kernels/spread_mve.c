/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes gathered and scattered, eight at a time. */
#include "nacre_spread_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_mve.h"

/* r1: from, r2: to, r3: rows, r4: lanes, r5..r8: steps; r9, r10: within a row */
NACRE_CODE
NACRE_NAKED void nacre_spread_mve(const nacre_spread_t *spread NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        "push         {r4-r10, lr}\n"
        "vldrh.u16    q1, [r0, #32]\n"
        "vldrh.u16    q2, [r0, #48]\n"
        "ldm          r0, {r1-r8}\n"
        "1:\n"
        "mov          r9, r1\n"
        "mov          r10, r2\n"
        "dlstp.16     lr, r4\n"
        "2:\n"
        "vldrb.u16    q0, [r9, q1]\n"
        "add          r9, r5\n"
        "vstrb.16     q0, [r10, q2]\n"
        "add          r10, r6\n"
        "letp         lr, 2b\n"
        "add          r1, r7\n"
        "add          r2, r8\n"
        "subs         r3, r3, #1\n"
        "bne          1b\n"
        "pop          {r4-r10, pc}\n");
}

#endif
