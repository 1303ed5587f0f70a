/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of a 3x3 convolution with stride 1: six columns serve four pixels and three taps.
 *
 *            p0   p1   p2   p3       q0..q5: columns, of which tap k of pixel p reads p + k
 *   w0 (q6)  r0   r2   r4   r6       q6, q7: weights of a tap
 *   w1 (q7)  r8   r10  r12  lr       r1: row  r3: next row  r5: rows to go  r7: rows  r9: stream
 */
#ifndef NACRE_TILE_3X3_MVE_H
#define NACRE_TILE_3X3_MVE_H

#include "nacre_tile_asm_mve.h"

#define NACRE_TAP_3X3(a, b, c, d)             \
    "vldrw.u32    q6, [r9], #16\n"            \
    "vmladava.s8  r0, " a ", q6\n"            \
    "vldrw.u32    q7, [r9], #16\n"            \
    "vmladava.s8  r2, " b ", q6\n"            \
    "vmladava.s8  r4, " c ", q6\n"            \
    "vmladava.s8  r6, " d ", q6\n"            \
    "vmladava.s8  r8, " a ", q7\n"            \
    "vmladava.s8  r10, " b ", q7\n"           \
    "vmladava.s8  r12, " c ", q7\n"           \
    "vmladava.s8  lr, " d ", q7\n"

/* 16 channels of a row; the arguments are where they are in each of the columns. */
#define NACRE_ROW_3X3(a, b, c, d, e, f)       \
    "vldrw.u32    q0, [r1, #" a "]\n"         \
    "vldrw.u32    q1, [r1, #" b "]\n"         \
    "vldrw.u32    q2, [r1, #" c "]\n"         \
    "vldrw.u32    q3, [r1, #" d "]\n"         \
    NACRE_TAP_3X3("q0", "q1", "q2", "q3")     \
    "vldrw.u32    q4, [r1, #" e "]\n"         \
    NACRE_TAP_3X3("q1", "q2", "q3", "q4")     \
    "vldrw.u32    q5, [r1, #" f "]\n"         \
    NACRE_TAP_3X3("q2", "q3", "q4", "q5")

#define NACRE_TILE_3X3(row)                   \
    NACRE_TILE_ENTER                          \
    "ldr          r7, [sp, #516]\n"           \
    "1:\n"                                    \
    "ldm          r9!, " NACRE_ACCUMULATORS   \
    "mov          r3, r7\n"                   \
    "movs         r5, #3\n"                   \
    "2:\n"                                    \
    "ldr          r1, [r3], #4\n"             \
    row                                       \
    "subs         r5, #1\n"                   \
    "bne          2b\n"                       \
    "stmdb        r11!, " NACRE_ACCUMULATORS  \
    "cmp          sp, r11\n"                  \
    "bne          1b\n"                       \
    NACRE_TILE_LEAVE

#endif
