/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of int8 tensors whose larger scale comes first, with Helium: eight elements at a time. */
#include "nacre_add.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_mve.h"

enum { EACH = 8, LEFT_SHIFT = 20 };

/* A run of 8 * turns elements, in the order in which registers take them. */
typedef struct {
    const int8_t *first;
    const int8_t *second;
    int8_t *y;
    int32_t left;
    int32_t second_offset; /* shifted by `left` */
    int32_t second_multiplier;
    int32_t second_tie; /* 1 where second_shift is not 0 */
    int32_t second_shift; /* <= 0, as output_shift */
    int32_t first_unit;
    int32_t output_multiplier;
    int32_t output_shift;
    int32_t output_offset;
    int32_t one;
    int32_t turns;
    int32_t first_offset; /* times first_unit */
    int32_t low;
    int32_t high;
    uint16_t order[EACH];
} run_t;

#define BOTH(what, how)                       \
    what "  q0, " how "\n"                    \
    what "  q1, " how "\n"

#define EACH_BY(what, r)                      \
    what "  q0, q0, " r "\n"                  \
    what "  q1, q1, " r "\n"

/*   q0, q1  four elements each: scaled second, then the sum     q2, q3  first
 *   q4  first_offset    q5, q6  clamp    q7  where the eight go, as narrowing leaves them */
NACRE_CODE
static NACRE_NAKED void add_run(const run_t *run NACRE_UNUSED)
{
    __asm volatile(
        ".syntax unified\n"
        "push         {r4-r11, lr}\n"
        "vpush        {d8-d15}\n"
        "ldrd         r1, r2, [r0, #52]\n"
        "dls          lr, r1\n"
        "vdup.32      q4, r2\n"
        "ldrd         r1, r2, [r0, #60]\n"
        "vdup.16      q5, r1\n"
        "vdup.16      q6, r2\n"
        "adds         r1, r0, #68\n"
        "vldrh.u16    q7, [r1]\n"
        "ldm          r0, {r0-r12}\n"
        "1:\n"
        "vldrb.s32    q0, [r1], #4\n"
        "vldrb.s32    q1, [r1], #4\n"
        BOTH("vshl.s32     ", "r3")
        EACH_BY("vadd.i32     ", "r4")
        EACH_BY("vqrdmulh.s32 ", "r5")
        EACH_BY("vqdmlah.s32  ", "r6")
        BOTH("vrshl.s32    ", "r7")
        "vldrb.s32    q2, [r0], #4\n"
        "vmla.s32     q0, q2, r8\n"
        "vldrb.s32    q3, [r0], #4\n"
        "vmla.s32     q1, q3, r8\n"
        EACH_BY("vadd.i32     ", "q4")
        EACH_BY("vqrdmulh.s32 ", "r9")
        EACH_BY("vqdmlah.s32  ", "r12")
        BOTH("vrshl.s32    ", "r10")
        "vqmovnb.s32  q0, q0\n"
        "vqmovnt.s32  q0, q1\n"
        "vqadd.s16    q0, q0, r11\n"
        "vmax.s16     q0, q0, q5\n"
        "vmin.s16     q0, q0, q6\n"
        "vstrb.16     q0, [r2, q7]\n"
        "adds         r2, #8\n"
        "le           lr, 1b\n"
        "vpop         {d8-d15}\n"
        "pop          {r4-r11, pc}\n");
}

NACRE_CODE
static run_t make_run(const nacre_add_params_t *p)
{
    run_t run = {.order = {0, 4, 1, 5, 2, 6, 3, 7}};
    run.left = LEFT_SHIFT;
    run.second_offset = p->second_offset * (1 << LEFT_SHIFT);
    run.second_multiplier = p->second_multiplier;
    run.second_tie = p->second_shift != 0;
    run.second_shift = -p->second_shift;
    run.first_unit = p->first_unit;
    run.first_offset = p->first_offset * p->first_unit;
    run.output_multiplier = p->output_multiplier;
    run.output_shift = -p->output_shift;
    run.output_offset = p->output_offset;
    run.one = 1;
    run.low = p->activation_min;
    run.high = p->activation_max;
    return run;
}

/* Up to 8 elements, any distance apart. */
NACRE_CODE
static NACRE_APART void add_few(run_t run, int32_t first_step, int32_t second_step, int32_t n)
{
    int8_t a[EACH] = {0};
    int8_t b[EACH] = {0};
    int8_t y[EACH];
    for (int32_t i = 0; i < n; ++i) {
        a[i] = run.first[i * first_step];
        b[i] = run.second[i * second_step];
    }
    int8_t *const to = run.y;
    run.first = a;
    run.second = b;
    run.y = y;
    run.turns = 1;
    add_run(&run);
    nacre_copy_mve(to, y, n);
}

NACRE_CODE
void nacre_add_s8_mve(const int8_t *first, const int8_t *second, int8_t *output,
                      const nacre_broadcast_t *shape, const nacre_add_params_t *p,
                      nacre_rows_t rows)
{
    run_t run = make_run(p);
    const int32_t together = shape->first_step == 1 && shape->second_step == 1;
    NACRE_FOR_EACH_RUN(walk)
    {
        int32_t done = 0;
        run.first = first + walk.first;
        run.second = second + walk.second;
        run.y = output + walk.output;
        run.turns = shape->run / EACH;
        if (together && run.turns > 0) {
            add_run(&run);
            done = run.turns * EACH;
        }
        for (; done < shape->run; done += EACH) {
            run.first = first + walk.first + done * shape->first_step;
            run.second = second + walk.second + done * shape->second_step;
            run.y = output + walk.output + done;
            add_few(run, shape->first_step, shape->second_step,
                    nacre_min(EACH, shape->run - done));
        }
    }
}

#endif
