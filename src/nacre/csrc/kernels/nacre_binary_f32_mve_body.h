/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise float arithmetic on Helium for tensors of one shape: four elements at a time.
 * Define VECTOR(a, b) and include this once. */
#include "nacre_f32_mve.h"
#include "nacre_lanes_f32_mve.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)

/* n elements that follow each other. */
NACRE_CODE
static void combine(const float *first, const float *second, float *output, int32_t n,
                    const nacre_range_f32_t *p)
{
    const float32x4_t floor = vdupq_n_f32(p->activation_min);
    const float32x4_t roof = vdupq_n_f32(p->activation_max);
    int32_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const float32x4_t value = VECTOR(vldrwq_f32(first + i), vldrwq_f32(second + i));
        vstrwq_f32(output + i, nacre_clamp_mve(value, floor, roof));
    }
    if (i < n) {
        const mve_pred16_t rest = vctp32q((uint32_t)(n - i));
        const float32x4_t value =
            VECTOR(vldrwq_z_f32(first + i, rest), vldrwq_z_f32(second + i, rest));
        vstrwq_p_f32(output + i, nacre_clamp_mve(value, floor, roof), rest);
    }
}

NACRE_CODE
static void combine_rows(const float *first, const float *second, float *output,
                         const nacre_broadcast_t *shape, const nacre_range_f32_t *p,
                         nacre_rows_t rows)
{
    for (int32_t r = rows.begin; r < rows.end; ++r) {
        combine(first + (r % shape->first_ring) * shape->first_row,
                second + (r % shape->second_ring) * shape->second_row,
                output + (r % shape->output_ring) * shape->output_row, shape->output_row, p);
    }
}

#endif
