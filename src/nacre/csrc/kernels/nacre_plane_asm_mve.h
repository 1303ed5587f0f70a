/* SPDX-License-Identifier: Apache-2.0 */
/* Assembly that the planes share: frame, a row of turns, accumulators to outputs.
 *
 *   q0..q3  weights of the outputs of a patch      r0 r2 r4 r6 r8 r10 r12 lr  8 outputs
 *   q4, q7  patch, then accumulators                r1 output   r3 multiplier  r5 right shift
 *   q5      addresses of the four blocks            r7 masks    r9 accumulators in memory
 *   q6      offsets of the outputs                  r11 turns to go
 *
 * sp: 8 words of bias, 8 accumulators, then words: 64 output offset, turn step, left shift, tie,
 * 80 plane, rows to go, output row, row step, 96 turns, right shift, tie, 112 low, 128 high.
 */
#ifndef NACRE_PLANE_ASM_MVE_H
#define NACRE_PLANE_ASM_MVE_H

#include "nacre_mve.h"
#include "nacre_plane_mve.h"

#define NACRE_PLANE_OUTPUTS "{r0, r2, r4, r6, r8, r10, r12, lr}\n"

#define NACRE_PLANE_WEIGHTS(q)                \
    "vldrw.u32    q5, [r4], #16\n"            \
    "vldrb.u8     " q ", [r2, q5]\n"

/* What all channels share. */
#define NACRE_PLANE_ENTER                     \
    "push         {r4-r11, lr}\n"             \
    "vpush        {d8-d15}\n"                 \
    "sub          sp, #144\n"                 \
    "str          r0, [sp, #80]\n"            \
    "vldrh.u16    q6, [r0, #40]\n"            \
    "ldr          r6, [r0, #56]\n"            \
    "ldr          r8, [r0, #20]\n"            \
    "strd         r6, r8, [sp, #64]\n"        \
    "ldr          r6, [r0, #24]\n"            \
    "ldr          r8, [r0, #8]\n"             \
    "strd         r6, r8, [sp, #92]\n"        \
    "ldrd         r6, r8, [r0, #60]\n"        \
    "vdup.16      q4, r6\n"                   \
    "vstrw.32     q4, [sp, #112]\n"           \
    "vdup.16      q4, r8\n"                   \
    "vstrw.32     q4, [sp, #128]\n"           \
    "add          r9, sp, #32\n"

/* A channel up to its first row; r2 holds its constants. */
#define NACRE_PLANE_CHANNEL(weights, ready)   \
    "ldrd         r2, r4, [r0, #32]\n"        \
    weights                                   \
    "ldr          r6, [r2, #12]\n"            \
    "vdup.32      q4, r6\n"                   \
    "vstrw.32     q4, [sp]\n"                 \
    "vstrw.32     q4, [sp, #16]\n"            \
    "ldrd         r3, r5, [r2, #16]\n"        \
    "ldrd         r6, r8, [r0, #12]\n"        \
    "strd         r6, r8, [sp, #84]\n"        \
    "adds         r8, #1\n"                   \
    "str          r8, [r0, #16]\n"            \
    "ldrd         r10, r12, [r0, #76]\n"      \
    "add          r4, r2, r12\n"              \
    "str          r4, [r0, #32]\n"            \
    "ldrd         r6, r8, [r0]\n"             \
    "add          r10, r6\n"                  \
    "str          r10, [r0]\n"                \
    "ldr          r7, [r0, #28]\n"            \
    ready                                     \
    "ldr          r6, [r0, #68]\n"            \
    "cmp          r6, #1\n"                   \
    "beq          3f\n"                       \
    "bhi          8f\n"

/* The four blocks of the patch before the first; r6 holds the plane, r8 its pitch. */
#define NACRE_PLANE_BLOCKS                    \
    "subs         r6, #4\n"                   \
    "add          r8, r8, r6\n"               \
    "add          r10, r6, #4\n"              \
    "add          r12, r8, #4\n"              \
    "vmov         q5[2], q5[0], r6, r8\n"     \
    "vmov         q5[3], q5[1], r10, r12\n"

#define NACRE_PLANE_ROW                       \
    "ldrd         r6, r1, [sp, #84]\n"        \
    "ldrd         r8, r11, [sp, #92]\n"       \
    "add          r8, r8, r1\n"               \
    "subs         r6, #1\n"                   \
    "strd         r6, r8, [sp, #84]\n"

#define NACRE_PLANE_STORE                     \
    "stm          r9, " NACRE_PLANE_OUTPUTS   \
    "vldrw.u32    q4, [r9]\n"                 \
    "ldrd         r0, r2, [sp, #64]\n"        \
    "vldrw.u32    q7, [r9, #16]\n"

#define NACRE_PLANE_NARROW                    \
    "vqmovnb.s32  q4, q4\n"                   \
    "vqmovnt.s32  q4, q7\n"                   \
    "vqadd.s16    q4, q4, r0\n"

#define NACRE_PLANE_WRITE                     \
    "vldr         P0, [r7], #4\n"             \
    "vpst\n"                                  \
    "vstrbt.16    q4, [r1, q6]\n"             \
    "add          r1, r1, r2\n"               \
    "subs         r11, #1\n"

#define NACRE_PLANE_NEXT_BLOCKS               \
    "movs         r0, #4\n"                   \
    "vadd.i32     q5, q5, r0\n"

#define NACRE_PLANE_MORE_ROWS                 \
    "ldr          r6, [sp, #84]\n"            \
    "cmp          r6, #0\n"

/* The rows of a plane: 8 outputs to a turn. `products` makes accumulators, `fetch` gets what
 * registers have no room for, `scale` and `clamp` are the output stage, `shift` names the right
 * shift, `next` goes to the next row of the plane. */
#define NACRE_PLANE_ROWS(row, turn, products, fetch, before, after, shift, clamp, next) \
    row ":\n"                                 \
    NACRE_PLANE_ROW                           \
    turn ":\n"                                \
    "ldm          sp, " NACRE_PLANE_OUTPUTS   \
    products                                  \
    NACRE_PLANE_STORE                         \
    fetch                                     \
    before                                    \
    "vqrdmulh.s32 q4, q4, r3\n"               \
    "vqrdmulh.s32 q7, q7, r3\n"               \
    after                                     \
    "vrshl.s32    q4, " shift "\n"            \
    "vrshl.s32    q7, " shift "\n"            \
    NACRE_PLANE_NARROW                        \
    clamp                                     \
    NACRE_PLANE_WRITE                         \
    "bne          " turn "b\n"                \
    next                                      \
    NACRE_PLANE_MORE_ROWS                     \
    "bne          " row "b\n"

#define NACRE_PLANE_LEFT                      \
    "ldrd         r4, r6, [sp, #72]\n"        \
    "vshl.s32     q4, r4\n"                   \
    "vshl.s32     q7, r4\n"

#define NACRE_PLANE_TIES                      \
    "vqdmlah.s32  q4, q4, r6\n"               \
    "vqdmlah.s32  q7, q7, r6\n"

#define NACRE_PLANE_SATURATE                  \
    "vqmovnb.s16  q4, q4\n"

#define NACRE_PLANE_CLAMP                     \
    "vldrw.u32    q7, [sp, #112]\n"           \
    "vmax.s16     q4, q4, q7\n"               \
    "vldrw.u32    q7, [sp, #128]\n"           \
    "vmin.s16     q4, q4, q7\n"

/* All channels, in the form that the layer needs; fetch_tie gets the tie in r6 besides. */
#define NACRE_PLANE_TIE "ldr          r6, [sp, #104]\n"

#define NACRE_PLANE_RUN(weights, ready, products, fetch, fetch_tie, shift, next) \
    NACRE_PLANE_ENTER                         \
    "7:\n"                                    \
    NACRE_PLANE_CHANNEL(weights, ready)       \
    NACRE_PLANE_ROWS("1", "2", products, fetch, "", "", shift, NACRE_PLANE_SATURATE, next) \
    "b            6f\n"                       \
    "8:\n"                                    \
    "ldr          r6, [r2, #28]\n"            \
    "str          r6, [sp, #104]\n"           \
    NACRE_PLANE_ROWS("11", "12", products, fetch_tie, "", \
                     NACRE_PLANE_TIES, shift, NACRE_PLANE_SATURATE, next) \
    "b            6f\n"                       \
    "3:\n"                                    \
    "ldrd         r6, r8, [r2, #24]\n"        \
    "strd         r6, r8, [sp, #72]\n"        \
    NACRE_PLANE_ROWS("4", "5", products, fetch, NACRE_PLANE_LEFT, NACRE_PLANE_TIES, shift, \
                     NACRE_PLANE_CLAMP, next) \
    "6:\n"                                    \
    "ldr          r0, [sp, #80]\n"            \
    "ldr          r6, [r0, #72]\n"            \
    "subs         r6, #1\n"                   \
    "str          r6, [r0, #72]\n"            \
    "bne          7b\n"                       \
    "add          sp, #144\n"                 \
    "vpop         {d8-d15}\n"                 \
    "pop          {r4-r11, pc}\n"

#endif
