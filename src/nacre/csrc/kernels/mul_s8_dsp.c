/* SPDX-License-Identifier: Apache-2.0 */
/* Product of quantized int8 tensors. */
#include "nacre_elementwise_dsp.h"

#if defined(__ARM_FEATURE_DSP)

#include "nacre_requant.h"
#include "nacre_scale_dsp.h"

typedef struct {
    const nacre_mul_params_t *p;
    nacre_scale_dsp_t scale;
    int32_t first_step;
    int32_t second_step;
    int32_t run;
} products_t;

NACRE_CODE
static products_t setup(const nacre_broadcast_t *shape, const nacre_mul_params_t *p)
{
    const int32_t once = nacre_rounds_once(p->output_shift);
    const int32_t exponent = once - nacre_plain_shift(p->output_shift);
    const products_t products = {
        p, nacre_scale_dsp_setup(p->output_multiplier, exponent, p->output_offset),
        shape->first_step, shape->second_step, shape->run};
    return products;
}

/* A run of products that are rounded twice, or once: a constant where this is inlined. */
NACRE_CODE
static inline void multiply(const int8_t *a, const int8_t *b, int8_t *y, const products_t *k,
                            int32_t once)
{
    const nacre_scale_dsp_t scale = k->scale;
    const int32_t first_offset = k->p->first_offset;
    const int32_t second_offset = k->p->second_offset;
    for (int32_t i = 0; i < k->run; ++i) {
        const int32_t product = (*a + first_offset) * (*b + second_offset);
        const int32_t scaled = once ? nacre_scale_once_dsp(4 * product, scale)
                                    : nacre_scale_dsp(2 * product, scale);
        y[i] = (int8_t)nacre_saturate_s8(scaled);
        a += k->first_step;
        b += k->second_step;
    }
}

NACRE_CODE
void nacre_mul_s8_dsp(const int8_t *first, const int8_t *second, int8_t *output,
                      const nacre_broadcast_t *shape, const nacre_mul_params_t *p,
                      nacre_rows_t rows)
{
    const products_t products = setup(shape, p);
    const int32_t once = nacre_rounds_once(p->output_shift);
    const int32_t clamps = p->activation_min > INT8_MIN || p->activation_max < INT8_MAX;
    NACRE_FOR_EACH_RUN(walk)
    {
        int8_t *const y = output + walk.output;
        if (once) {
            multiply(first + walk.first, second + walk.second, y, &products, 1);
        } else {
            multiply(first + walk.first, second + walk.second, y, &products, 0);
        }
        if (clamps) {
            nacre_clamp_bytes(y, shape->run, p->activation_min, p->activation_max);
        }
    }
}

#endif
