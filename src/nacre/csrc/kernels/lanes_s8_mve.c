/* SPDX-License-Identifier: Apache-2.0 */
/* Sixteen channels of a pixel, tap by tap. */
#include "nacre_lanes_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_mve.h"

/* Eight channels of a tap: products have 16 bits, sums 32. */
#define EIGHT(from, even, odd)                \
    "vldrb.s16    q4, [r1" from "]\n"         \
    "vldrb.s16    q5, [r3], #8\n"             \
    "vmullb.s16   q6, q4, q5\n"               \
    "vmullt.s16   q7, q4, q5\n"               \
    "vadd.i32     " even ", " even ", q6\n"   \
    "vadd.i32     " odd ", " odd ", q7\n"

/* Four sums to numbers before the offset; `at` is where their shifts and multipliers are. */
#define SCALE(q, left, multiplier, right)     \
    "vldrw.u32    q4, [r3, #" left "]\n"      \
    "vldrw.u32    q5, [r3, #" multiplier "]\n" \
    "vldrw.u32    q6, [r3, #" right "]\n"     \
    "vshl.s32     " q ", " q ", q4\n"         \
    "vqrdmulh.s32 " q ", " q ", q5\n"         \
    "vand         q4, " q ", q6\n"            \
    "vshr.s32     q4, q4, #31\n"              \
    "vqadd.s32    " q ", " q ", q4\n"         \
    "vrshl.s32    " q ", " q ", q6\n"

/*   q0 0 2 4 6   q1 1 3 5 7      r1: tap    r2: next tap   r3: stream   r4: channel
 *   q2 8 10 ..   q3 9 11 ..      r5: groups to go   r6: y   r8: taps   r9: their number
 *   q4 inputs    q5 weights      r10: last channel   r11: output offset   r12: lanes */
NACRE_CODE
NACRE_NAKED void nacre_lanes_s8_mve(const nacre_lanes_mve_t *lanes NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        "push         {r4-r11, lr}\n"
        "vpush        {d8-d15}\n"
        "mov          r12, r0\n"
        "ldm          r0, {r3, r5, r6, r8, r9, r10, r11}\n"
        "movs         r4, #0\n"
        "1:\n"
        "vldrw.u32    q0, [r3]\n"
        "vldrw.u32    q1, [r3, #16]\n"
        "vldrw.u32    q2, [r3, #32]\n"
        "vldrw.u32    q3, [r3, #48]\n"
        "adds         r3, #64\n"
        "mov          r2, r8\n"
        "dls          lr, r9\n"
        "2:\n"
        "ldr          r1, [r2], #4\n"
        "add          r1, r4\n"
        EIGHT("", "q0", "q1")
        EIGHT(", #8", "q2", "q3")
        "le           lr, 2b\n"
        SCALE("q0", "0", "64", "128")
        SCALE("q1", "16", "80", "144")
        SCALE("q2", "32", "96", "160")
        SCALE("q3", "48", "112", "176")
        "adds         r3, #192\n"
        "vqmovnb.s32  q0, q0\n"
        "vqmovnt.s32  q0, q1\n"
        "vqmovnb.s32  q2, q2\n"
        "vqmovnt.s32  q2, q3\n"
        "ldrd         r1, r2, [r12, #28]\n"
        "vqadd.s16    q0, q0, r11\n"
        "vqadd.s16    q2, q2, r11\n"
        "vdup.16      q4, r1\n"
        "vdup.16      q5, r2\n"
        "vmax.s16     q0, q0, q4\n"
        "vmax.s16     q2, q2, q4\n"
        "vmin.s16     q0, q0, q5\n"
        "vmin.s16     q2, q2, q5\n"
        "adds         r1, r6, r4\n"
        "vstrb.16     q0, [r1]\n"
        "vstrb.16     q2, [r1, #8]\n"
        "adds         r4, #16\n"
        "cmp          r4, r10\n"
        "it           gt\n"
        "movgt        r4, r10\n"
        "subs         r5, #1\n"
        "bne          1b\n"
        "vpop         {d8-d15}\n"
        "pop          {r4-r11, pc}\n");
}

#endif
