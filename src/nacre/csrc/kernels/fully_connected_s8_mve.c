/* SPDX-License-Identifier: Apache-2.0 */
/* int8 fully connected layer with Helium, up to 32 outputs at a time. */
#include "nacre_fully_connected.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_mve.h"
#include "nacre_rows_mve.h"

enum { BLOCK = 8, BLOCKS = 4, STEP = 16 };

/* q0: four accumulators, q1: left shifts, q2: multipliers, q3: right shifts, q4, q5: clamp. A
 * negative number with a right shift is one less before it is rounded: ties go away from zero. */
#define FINISH                                \
    "vshl.s32     q0, q0, q1\n"               \
    "vqrdmulh.s32 q0, q0, q2\n"               \
    "vand         q6, q0, q3\n"               \
    "vshr.s32     q6, q6, #31\n"              \
    "vqadd.s32    q0, q0, q6\n"               \
    "vrshl.s32    q0, q0, q3\n"               \
    "vqadd.s32    q0, q0, %[offset]\n"        \
    "vmax.s32     q0, q0, q4\n"               \
    "vmin.s32     q0, q0, q5\n"               \
    "vstrb.32     q0, [%[y]], #4\n"

#define SCALES                                \
    "vldrw.u32    q1, [%[requant]], #16\n"    \
    "vldrw.u32    q2, [%[requant]], #16\n"    \
    "vldrw.u32    q3, [%[requant]], #16\n"

/* n accumulators to outputs, four at a time. */
NACRE_CODE
static const int32_t *finish(const int32_t *acc, const int32_t *requant, int32_t n,
                             const nacre_fully_connected_params_t *p, int8_t *y)
{
    const int32_t *const first = requant;
    __asm volatile(
        "vdup.32      q4, %[low]\n"
        "vdup.32      q5, %[high]\n"
        "cbnz         %[step], 2f\n"
        SCALES
        "dlstp.32     lr, %[n]\n"
        "1:\n"
        "vldrw.u32    q0, [%[acc]], #16\n"
        FINISH
        "letp         lr, 1b\n"
        "b            4f\n"
        "2:\n"
        "dlstp.32     lr, %[n]\n"
        "3:\n"
        "vldrw.u32    q0, [%[acc]], #16\n"
        SCALES
        FINISH
        "letp         lr, 3b\n"
        "4:\n"
        : [acc] "+r"(acc), [requant] "+r"(requant), [y] "+l"(y)
        : [n] "r"(n), [step] "l"(p->scale_step), [offset] "r"(p->output_offset),
          [low] "r"(p->activation_min), [high] "r"(p->activation_max)
        : "lr", "q0", "q1", "q2", "q3", "q4", "q5", "q6", "memory");
    return p->scale_step != 0 ? requant : first;
}

NACRE_CODE
NACRE_AROUND void nacre_fully_connected_s8_mve(const int8_t *input, const int8_t *stream,
                                               const int32_t *requant, int8_t *output,
                                               const nacre_fully_connected_params_t *p)
{
    int32_t acc[BLOCK * BLOCKS];
    const int32_t steps = (p->inputs + STEP - 1) / STEP;
    nacre_rows_mve_t rows = {input, steps, p->inputs - (steps - 1) * STEP, 0};
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const int8_t *at = stream;
        const int32_t *scales = requant;
        for (int32_t o = 0; o < p->outputs; o += BLOCK * BLOCKS) {
            const int32_t n = nacre_min(BLOCK * BLOCKS, p->outputs - o);
            rows.blocks = (n + BLOCK - 1) / BLOCK;
            at = nacre_rows_s8_mve(&rows, at, acc);
            scales = finish(acc, scales, n, p, output + o);
        }
        rows.x += p->inputs;
        output += p->outputs;
    }
}

#endif
