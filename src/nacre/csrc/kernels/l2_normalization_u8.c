/* SPDX-License-Identifier: Apache-2.0 */
/* uint8 vectors divided by their length. */
#include "nacre_l2_normalization.h"
#include "nacre_inverse_sqrt.h"

NACRE_CODE
static void one_vector(const uint8_t *x, uint8_t *y, const nacre_l2_normalization_params_t *p)
{
    int32_t sum = 0;
    for (int32_t c = 0; c < p->depth; ++c) {
        const int32_t value = x[c] + p->input_offset;
        sum += value * value;
    }
    const nacre_inverse_sqrt_t scale = nacre_inverse_sqrt(sum);
    for (int32_t c = 0; c < p->depth; ++c) {
        const int32_t value = x[c] + p->input_offset;
        const int32_t scaled =
            nacre_requantize(128 * value, scale.multiplier, scale.shift) + 128;
        y[c] = (uint8_t)nacre_clamp(scaled, 0, UINT8_MAX);
    }
}

NACRE_CODE
void nacre_l2_normalization_u8(const uint8_t *input, uint8_t *output, const nacre_each_t *shape,
                               const nacre_l2_normalization_params_t *p, nacre_rows_t rows)
{
    for (int32_t r = rows.begin; r < rows.end; ++r) {
        const uint8_t *from = input + (r % shape->input_ring) * shape->row;
        uint8_t *to = output + (r % shape->output_ring) * shape->row;
        for (int32_t i = 0; i < shape->row; i += p->depth) {
            one_vector(from + i, to + i, p);
        }
    }
}
