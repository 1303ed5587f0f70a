/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of int8 tensors whose larger scale comes first. */
#include "nacre_elementwise_dsp.h"

#if defined(__ARM_FEATURE_DSP)

#include "nacre_scale_dsp.h"

/* All terms are doubled: first = (a + first_offset) * first_unit * 2. */
typedef struct {
    int32_t unit;
    int32_t offset;
    int32_t second_unit;
    int32_t second_offset;
    nacre_scale_dsp_t second;
    nacre_scale_dsp_t sum;
} terms_t;

/* An exact second input, whose multiplier is one half, is shifted once more on both sides. */
NACRE_CODE
static terms_t setup(const nacre_add_params_t *p)
{
    const int32_t exponent = p->second_shift > 0 ? p->second_shift : 1;
    const int32_t unit = 1 << (p->second_left + exponent);
    const terms_t terms = {
        2 * p->first_unit,
        2 * p->first_unit * p->first_offset,
        unit,
        unit * p->second_offset,
        nacre_scale_dsp_setup(p->second_multiplier, exponent, 0),
        nacre_scale_dsp_setup(p->output_multiplier, p->output_shift, p->output_offset)};
    return terms;
}

NACRE_CODE
static inline int32_t add(int32_t a, int32_t b, const terms_t *k)
{
    const int32_t second = nacre_scale_dsp(b * k->second_unit + k->second_offset, k->second);
    const int32_t sum = a * k->unit + k->offset + 2 * second;
    return nacre_saturate_s8(nacre_scale_dsp(sum, k->sum));
}

/* n elements side by side, n > 0, of a sum whose second input is not exact:
 *
 *   r0 a   r1 b   r2 y   r3 its end   r4 offset of b   r5 - r7 its multiplier, nudge, exponent
 *   r8 offset of a   r9 - r11 multiplier, nudge, exponent of the sum   r12, lr the element */
NACRE_CODE
static void add_run(const int8_t *a, const int8_t *b, int8_t *y, int32_t n, const terms_t *terms)
{
    const int32_t constants[8] = {terms->second_offset, terms->second.multiplier,
                                  terms->second.nudge,  terms->second.exponent,
                                  terms->offset,        terms->sum.multiplier,
                                  terms->sum.nudge,     terms->sum.exponent};
    register const int8_t *r0 __asm("r0") = a;
    register const int8_t *r1 __asm("r1") = b;
    register int8_t *r2 __asm("r2") = y;
    register int8_t *r3 __asm("r3") = y + n;
    register const int32_t *r12 __asm("r12") = constants;
    __asm volatile(
        "push {r4-r11, lr}\n\t"
        "ldmia r12, {r4-r11}\n\t"
        "1: ldrsb r12, [r1], #1\n\t"
        "add r12, r4, r12, lsl #21\n\t"
        "add lr, r6, r12, asr #31\n\t"
        "smmlar r12, r12, r5, lr\n\t"
        "ldrsb lr, [r0], #1\n\t"
        "asr r12, r12, r7\n\t"
        "add lr, r8, lr, lsl #20\n\t"
        "add r12, lr, r12, lsl #1\n\t"
        "add lr, r10, r12, asr #31\n\t"
        "smmlar r12, r12, r9, lr\n\t"
        "asr r12, r12, r11\n\t"
        "ssat r12, #8, r12\n\t"
        "strb r12, [r2], #1\n\t"
        "cmp r2, r3\n\t"
        "bne 1b\n\t"
        "pop {r4-r11, lr}\n\t"
        : "+r"(r0), "+r"(r1), "+r"(r2), "+r"(r12)
        : "r"(r3)
        : "lr", "cc", "memory");
}

NACRE_CODE
void nacre_add_s8_dsp(const int8_t *first, const int8_t *second, int8_t *output,
                      const nacre_broadcast_t *shape, const nacre_add_params_t *p,
                      nacre_rows_t rows)
{
    const terms_t terms = setup(p);
    const int32_t first_step = shape->first_step;
    const int32_t second_step = shape->second_step;
    const int32_t plain =
        first_step == 1 && second_step == 1 && p->first_unit == 1 << 19 && p->second_shift > 0;
    const int32_t clamps = p->activation_min > INT8_MIN || p->activation_max < INT8_MAX;
    NACRE_FOR_EACH_RUN(walk)
    {
        const int8_t *a = first + walk.first;
        const int8_t *b = second + walk.second;
        int8_t *const y = output + walk.output;
        if (plain && shape->run > 0) {
            add_run(a, b, y, shape->run, &terms);
        } else {
            for (int32_t i = 0; i < shape->run; ++i) {
                y[i] = (int8_t)add(a[i * first_step], b[i * second_step], &terms);
            }
        }
        if (clamps) {
            nacre_clamp_bytes(y, shape->run, p->activation_min, p->activation_max);
        }
    }
}

#endif
