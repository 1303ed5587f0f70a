/* SPDX-License-Identifier: Apache-2.0 */
/* Leaky ReLU of int16 values. */
#include "nacre_relu.h"

static inline int32_t leaky_relu(int32_t x, const nacre_leaky_relu_params_t *p)
{
    const int32_t centred = x + p->input_offset;
    const int32_t multiplier = centred >= 0 ? p->positive_multiplier : p->negative_multiplier;
    const int32_t shift = centred >= 0 ? p->positive_shift : p->negative_shift;
    const int32_t scaled = nacre_requantize(centred, multiplier, shift);
    return nacre_clamp(scaled + p->output_offset, INT16_MIN, INT16_MAX);
}

void nacre_leaky_relu_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                          const nacre_leaky_relu_params_t *p, nacre_rows_t rows)
{
    NACRE_UNARY(int16_t, int16_t, leaky_relu(x, p))
}
