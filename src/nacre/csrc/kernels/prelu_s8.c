/* SPDX-License-Identifier: Apache-2.0 */
/* Leaky ReLU of quantized int8 values with slopes from a tensor. */
#include "nacre_relu.h"

NACRE_CODE
void nacre_prelu_s8(const int8_t *first, const int8_t *second, int8_t *output,
                    const nacre_broadcast_t *shape, const nacre_prelu_params_t *p,
                    nacre_rows_t rows)
{
    const nacre_prelu_params_t local = *p;
    const nacre_prelu_scales_t scales = nacre_prelu_setup(p);
    NACRE_BINARY_COMPACT(int8_t, int8_t, int8_t, nacre_prelu_one(a, b, &local, &scales))
}
