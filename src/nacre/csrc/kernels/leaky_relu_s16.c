/* SPDX-License-Identifier: Apache-2.0 */
/* Leaky ReLU of int16 values. */
#include "nacre_relu.h"

NACRE_CODE
static inline int32_t leaky_relu(int32_t centred, const nacre_scale_t *positive,
                                 const nacre_scale_t *negative)
{
    return nacre_scale(centred, centred >= 0 ? positive : negative);
}

NACRE_CODE
void nacre_leaky_relu_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                          const nacre_leaky_relu_params_t *p, nacre_rows_t rows)
{
    const nacre_scale_t positive = nacre_scale_setup(p->positive_multiplier, p->positive_shift);
    const nacre_scale_t negative = nacre_scale_setup(p->negative_multiplier, p->negative_shift);
    const nacre_leaky_relu_params_t local = *p;
    NACRE_UNARY(int16_t, int16_t,
                nacre_clamp(leaky_relu(x + local.input_offset, &positive, &negative) +
                                local.output_offset,
                            INT16_MIN, INT16_MAX))
}
