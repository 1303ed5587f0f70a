/* SPDX-License-Identifier: Apache-2.0 */
/* int8 fully connected layer with Helium, up to 32 outputs at a time. */
#include "nacre_fully_connected.h"

#if defined(__ARM_FEATURE_MVE)

#include <arm_mve.h>

#include "nacre_rows_mve.h"

enum { BLOCK = 8, BLOCKS = 4, GROUP = 4, STEP = 16 };

/* n accumulators to outputs, four at a time. */
NACRE_CODE
static const int32_t *finish(const int32_t *acc, const int32_t *requant, int32_t n,
                             const nacre_fully_connected_params_t *p, int8_t *y)
{
    const int32x4_t low = vdupq_n_s32(p->activation_min);
    const int32x4_t high = vdupq_n_s32(p->activation_max);
    const int32_t next = p->scale_step * 3 * GROUP;
    for (; n > 0; n -= GROUP) {
        const int32x4_t right = vldrwq_s32(requant + 2 * GROUP);
        int32x4_t v = vshlq_s32(vldrwq_s32(acc), vldrwq_s32(requant));
        v = vqrdmulhq_s32(v, vldrwq_s32(requant + GROUP));
        v = vqaddq_s32(v, vshrq_n_s32(vandq_s32(v, right), 31));
        v = vqaddq_n_s32(vrshlq_s32(v, right), p->output_offset);
        v = vminq_s32(vmaxq_s32(v, low), high);
        vstrbq_p_s32(y, v, vctp32q((uint32_t)n));
        acc += GROUP;
        requant += next;
        y += GROUP;
    }
    return requant;
}

NACRE_CODE
void nacre_fully_connected_s8_mve(const int8_t *input, const int8_t *stream,
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
