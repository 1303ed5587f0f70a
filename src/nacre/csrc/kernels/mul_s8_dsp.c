/* SPDX-License-Identifier: Apache-2.0 */
/* Product of quantized int8 tensors. */
#include "nacre_elementwise_dsp.h"

#if defined(__ARM_FEATURE_DSP)

#include "nacre_scale_dsp.h"

NACRE_CODE
void nacre_mul_s8_dsp(const int8_t *first, const int8_t *second, int8_t *output,
                      const nacre_broadcast_t *shape, const nacre_mul_params_t *p,
                      nacre_rows_t rows)
{
    const nacre_scale_dsp_t scale =
        nacre_scale_dsp_setup(p->output_multiplier, -p->output_shift, p->output_offset);
    const int32_t first_offset = p->first_offset;
    const int32_t second_offset = p->second_offset;
    const int32_t first_step = shape->first_step;
    const int32_t second_step = shape->second_step;
    const int32_t run = shape->run;
    const int32_t clamps = p->activation_min > INT8_MIN || p->activation_max < INT8_MAX;
    NACRE_FOR_EACH_RUN(walk)
    {
        const int8_t *a = first + walk.first;
        const int8_t *b = second + walk.second;
        int8_t *const y = output + walk.output;
        for (int32_t i = 0; i < run; ++i) {
            const int32_t product = (*a + first_offset) * (*b + second_offset);
            y[i] = (int8_t)nacre_saturate_s8(nacre_scale_dsp(2 * product, scale));
            a += first_step;
            b += second_step;
        }
        if (clamps) {
            nacre_clamp_bytes(y, run, p->activation_min, p->activation_max);
        }
    }
}

#endif
