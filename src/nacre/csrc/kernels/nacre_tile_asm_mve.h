/* SPDX-License-Identifier: Apache-2.0 */
/* Assembly that the tiles share: one step of products, frame, accumulators to outputs.
 *
 *            x0   x1   x2   x3       r1 r3 r5 r7: pixels      q0..q3
 *   w0 (q4)  r0   r2   r4   r6       r9: stream of weights    q4, q5
 *   w1 (q5)  r8   r10  r12  lr       r11: accumulators, or steps to go
 *
 * Accumulators lie on the stack, [channel][pixel]; the last pair of channels is stored first, so
 * that the lowest address ends the loop. Loads stand between multiplications: a core that runs
 * both at once need not wait.
 */
#ifndef NACRE_TILE_ASM_MVE_H
#define NACRE_TILE_ASM_MVE_H

#include "nacre_mve.h"
#include "nacre_tile_mve.h"

#define NACRE_ACCUMULATORS "{r0, r2, r4, r6, r8, r10, r12, lr}\n"

/* 16 products of each of 4 x 2; `from` completes the address of a pixel. 56 bytes. */
#define NACRE_TILE_STEP_S8(from)              \
    "vldrb.u8     q0, [r1" from "\n"          \
    "vldrw.u32    q4, [r9], #16\n"            \
    "vldrb.u8     q1, [r3" from "\n"          \
    "vmladava.s8  r0, q0, q4\n"               \
    "vldrb.u8     q2, [r5" from "\n"          \
    "vmladava.s8  r2, q1, q4\n"               \
    "vldrb.u8     q3, [r7" from "\n"          \
    "vmladava.s8  r4, q2, q4\n"               \
    "vldrw.u32    q5, [r9], #16\n"            \
    "vmladava.s8  r6, q3, q4\n"               \
    "vmladava.s8  r8, q0, q5\n"               \
    "vmladava.s8  r10, q1, q5\n"              \
    "vmladava.s8  r12, q2, q5\n"              \
    "vmladava.s8  lr, q3, q5\n"

/* sp: 512 bytes of accumulators; then the entry of the first step, the tile, and 32 bytes. Stores
 * add 4 to the addresses of the outputs before they use them. */
#define NACRE_TILE_ENTER                      \
    "push         {r4-r11, lr}\n"             \
    "vpush        {d8-d15}\n"                 \
    "sub          sp, #552\n"                 \
    "str          r0, [sp, #516]\n"           \
    "vldrw.u32    q7, [r0, #32]\n"            \
    "movs         r2, #4\n"                   \
    "vsub.i32     q7, q7, r2\n"               \
    "vstrw.32     q7, [r0, #32]\n"            \
    "0:\n"                                    \
    "ldr          r9, [r0, #16]\n"            \
    "ldrd         r2, r4, [r0, #20]\n"        \
    "add          r11, sp, r2, lsl #5\n"

/* Accumulators to outputs, four channels of four pixels at a time: multipliers are scalars, the
 * lanes are pixels, and narrowing transposes to one word of channels per pixel. */
#define NACRE_TILE_LEAVE                      \
    "ldr          r0, [sp, #516]\n"           \
    "str          r9, [r0, #16]\n"            \
    "ldr          r10, [r0, #20]\n"           \
    "ldr          r9, [r0, #28]\n"            \
    "ldrd         r1, r12, [r0, #48]\n"       \
    "vldrw.u32    q7, [r0, #32]\n"            \
    "mov          r11, sp\n"                  \
    "lsr          r10, r10, #1\n"             \
    "dls          lr, r10\n"                  \
    "cbnz         r1, 5f\n"                   \
    "vmov.i8      q6, #0x80\n"                \
    "4:\n"                                    \
    "ldm          r9!, {r1-r8}\n"             \
    NACRE_TILE_LOAD                           \
    NACRE_TILE_EACH("vqrdmulh.s32", "r1", "r2", "r3", "r4") \
    NACRE_TILE_SHIFT                          \
    NACRE_TILE_HALVES                         \
    "vqmovunb.s16 q0, q0\n"                   \
    "vqmovunt.s16 q0, q1\n"                   \
    "veor         q0, q0, q6\n"               \
    "vstrw.32     q0, [q7, #4]!\n"            \
    "le           lr, 4b\n"                   \
    "b            6f\n"                       \
    "5:\n"                                    \
    "ldrd         r1, r2, [r0, #56]\n"        \
    "vdup.8       q5, r1\n"                   \
    "vdup.8       q6, r2\n"                   \
    "7:\n"                                    \
    "ldm          r9!, {r1-r8}\n"             \
    NACRE_TILE_LOAD                           \
    "vshl.s32     q0, r1\n"                   \
    "vshl.s32     q1, r2\n"                   \
    "vshl.s32     q2, r3\n"                   \
    "vshl.s32     q3, r4\n"                   \
    NACRE_TILE_EACH("vqrdmulh.s32", "r5", "r6", "r7", "r8") \
    "ldm          r9!, {r1-r8}\n"             \
    NACRE_TILE_EACH("vqdmlah.s32", "r1", "r2", "r3", "r4") \
    NACRE_TILE_SHIFT                          \
    NACRE_TILE_HALVES                         \
    "vqadd.s16    q0, q0, r12\n"              \
    "vqadd.s16    q1, q1, r12\n"              \
    "vqmovnb.s16  q0, q0\n"                   \
    "vqmovnt.s16  q0, q1\n"                   \
    "vmax.s8      q0, q0, q5\n"               \
    "vmin.s8      q0, q0, q6\n"               \
    "vstrw.32     q0, [q7, #4]!\n"            \
    "le           lr, 7b\n"                   \
    "6:\n"                                    \
    "str          r9, [r0, #28]\n"            \
    "ldr          r3, [r0, #88]\n"            \
    "cmp          r3, #0\n"                   \
    "bne          12f\n"                      \
    "ldrd         r2, r3, [r0, #64]\n"        \
    "subs         r2, #1\n"                   \
    "ble          9f\n"                       \
    "str          r2, [r0, #64]\n"            \
    "vldrw.u32    q0, [r0]\n"                 \
    "vadd.i32     q0, q0, r3\n"               \
    "vstrw.32     q0, [r0]\n"                 \
    "ldrd         r3, r4, [r0, #72]\n"        \
    "ldr          r5, [r0, #80]\n"            \
    "vadd.i32     q7, q7, r3\n"               \
    "str          r4, [r0, #16]\n"            \
    "str          r5, [r0, #28]\n"            \
    "ldr          r3, [r0, #84]\n"            \
    "12:\n"                                   \
    "movs         r2, #16\n"                  \
    "cmp          r3, r2\n"                   \
    "it           lt\n"                       \
    "movlt        r2, r3\n"                   \
    "subs         r3, r3, r2\n"               \
    "str          r3, [r0, #88]\n"            \
    "str          r2, [r0, #20]\n"            \
    "vstrw.32     q7, [r0, #32]\n"            \
    "b            0b\n"                       \
    "9:\n"                                    \
    "add          sp, #552\n"                 \
    "vpop         {d8-d15}\n"                 \
    "pop          {r4-r11, pc}\n"

#define NACRE_TILE_LOAD                       \
    "vldrw.u32    q0, [r11], #16\n"           \
    "vldrw.u32    q1, [r11], #16\n"           \
    "vldrw.u32    q2, [r11], #16\n"           \
    "vldrw.u32    q3, [r11], #16\n"

#define NACRE_TILE_EACH(what, a, b, c, d)     \
    what "  q0, q0, " a "\n"                  \
    what "  q1, q1, " b "\n"                  \
    what "  q2, q2, " c "\n"                  \
    what "  q3, q3, " d "\n"

#define NACRE_TILE_SHIFT                      \
    "vrshl.s32    q0, r5\n"                   \
    "vrshl.s32    q1, r6\n"                   \
    "vrshl.s32    q2, r7\n"                   \
    "vrshl.s32    q3, r8\n"

/* q0 = channels 0, 2 of each pixel, q1 = channels 1, 3. */
#define NACRE_TILE_HALVES                     \
    "vqmovnb.s32  q0, q0\n"                   \
    "vqmovnt.s32  q0, q2\n"                   \
    "vqmovnb.s32  q1, q1\n"                   \
    "vqmovnt.s32  q1, q3\n"

#endif
