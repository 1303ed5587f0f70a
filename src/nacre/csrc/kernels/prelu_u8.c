/* SPDX-License-Identifier: Apache-2.0 */
/* Leaky ReLU of quantized uint8 values with slopes from a tensor. */
#include "nacre_relu.h"

NACRE_CODE
void nacre_prelu_u8(const uint8_t *first, const uint8_t *second, uint8_t *output,
                    const nacre_broadcast_t *shape, const nacre_prelu_params_t *p,
                    nacre_rows_t rows)
{
    const nacre_prelu_params_t local = *p;
    const nacre_prelu_scales_t scales = nacre_prelu_setup(p);
    NACRE_BINARY_COMPACT(uint8_t, uint8_t, uint8_t, nacre_prelu_one(a, b, &local, &scales))
}
