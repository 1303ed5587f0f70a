/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of one channel each: an output is 16 bytes of the line times the weights. */
#include "nacre_plane_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_plane_asm_mve.h"

/* r5 walks along the line, so that the right shift waits in the frame. */
#define OUTPUTS(a, b)                         \
    "vldrb.u8     q4, [r5], #1\n"             \
    "vmladava.s8  " a ", q4, q0\n"            \
    "vldrb.u8     q7, [r5], #1\n"             \
    "vmladava.s8  " b ", q7, q0\n"

#define WEIGHTS                               \
    "vldrb.u8     q0, [r2]\n"                 \
    "adds         r2, #4\n"

#define READY                                 \
    "str          r5, [sp, #100]\n"           \
    "mov          r5, r6\n"

NACRE_CODE
NACRE_NAKED void nacre_plane_line_s8_mve(nacre_plane_mve_t *plane NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        NACRE_PLANE_RUN(WEIGHTS, READY,
                        OUTPUTS("r0", "r2") OUTPUTS("r4", "r6") OUTPUTS("r8", "r10")
                        OUTPUTS("r12", "lr"),
                        "ldr          r10, [sp, #100]\n", "r10",
                        "adds         r5, #16\n"));
}

#endif
