/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of one channel each: 16 bytes of the line make four outputs. */
#include "nacre_plane_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_plane_asm_mve.h"

/* q0..q3: the weights, moved on by 0 to 3 bytes. r5 walks along the line, so that the right shift
 * waits in the frame. */
#define OUTPUTS(a, b, c, d)                   \
    "vldrw.u32    q4, [r5], #4\n"             \
    "vmladava.s8  " a ", q4, q0\n"            \
    "vmladava.s8  " b ", q4, q1\n"            \
    "vmladava.s8  " c ", q4, q2\n"            \
    "vmladava.s8  " d ", q4, q3\n"

#define WEIGHTS                               \
    "vldrb.u8     q0, [r2, #4]\n"             \
    "vldrb.u8     q1, [r2, #3]\n"             \
    "vldrb.u8     q2, [r2, #2]\n"             \
    "vldrb.u8     q3, [r2, #1]\n"             \
    "adds         r2, #8\n"

#define READY                                 \
    "str          r5, [sp, #100]\n"           \
    "mov          r5, r6\n"

NACRE_CODE
NACRE_NAKED void nacre_plane_line_s8_mve(nacre_plane_mve_t *plane NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        NACRE_PLANE_RUN(WEIGHTS, READY,
                        OUTPUTS("r0", "r2", "r4", "r6") OUTPUTS("r8", "r10", "r12", "lr"),
                        "ldr          r10, [sp, #100]\n",
                        "ldrd         r10, r6, [sp, #100]\n", "r10",
                        "adds         r5, #16\n"));
}

#endif
