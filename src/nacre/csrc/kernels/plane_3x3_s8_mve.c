/* SPDX-License-Identifier: Apache-2.0 */
/* A plane with stride 1: two patches to a turn, each with four sets of weights. */
#include "nacre_plane_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_plane_asm_mve.h"

#define PATCH(a, b, c, d)                     \
    "vldrw.u32    q4, [q5, #4]!\n"            \
    "vmladava.s8  " a ", q4, q0\n"            \
    "vmladava.s8  " b ", q4, q1\n"            \
    "vmladava.s8  " c ", q4, q2\n"            \
    "vmladava.s8  " d ", q4, q3\n"

#define WEIGHTS                               \
    NACRE_PLANE_WEIGHTS("q0") NACRE_PLANE_WEIGHTS("q1")  \
    NACRE_PLANE_WEIGHTS("q2") NACRE_PLANE_WEIGHTS("q3")

NACRE_CODE
NACRE_NAKED void nacre_plane_3x3_s8_mve(nacre_plane_mve_t *plane NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        NACRE_PLANE_RUN(WEIGHTS, NACRE_PLANE_BLOCKS,
                        PATCH("r0", "r2", "r4", "r6") PATCH("r8", "r10", "r12", "lr"), "", NACRE_PLANE_TIE, "r5",
                        NACRE_PLANE_NEXT_BLOCKS));
}

#endif
