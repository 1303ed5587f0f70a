/* SPDX-License-Identifier: Apache-2.0 */
/* A plane with stride 2: eight patches to a turn, an output each. */
#include "nacre_plane_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_plane_asm_mve.h"

/* Two patches are under way, so that a load and a product can run side by side. */
#define PATCHES(a, b)                         \
    "vldrw.u32    q4, [q5, #4]!\n"            \
    "vmladava.s8  " a ", q4, q0\n"            \
    "vldrw.u32    q7, [q5, #4]!\n"            \
    "vmladava.s8  " b ", q7, q0\n"

NACRE_CODE
NACRE_NAKED void nacre_plane_3x3_stride2_s8_mve(nacre_plane_mve_t *plane NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        NACRE_PLANE_RUN(NACRE_PLANE_WEIGHTS("q0"), NACRE_PLANE_BLOCKS,
                        PATCHES("r0", "r2") PATCHES("r4", "r6") PATCHES("r8", "r10")
                        PATCHES("r12", "lr"), "", NACRE_PLANE_TIE, "r5", NACRE_PLANE_NEXT_BLOCKS));
}

#endif
