/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulators of a convolution to uint8 outputs. */
#include "nacre_conv.h"

NACRE_CODE
void nacre_conv_finish_u8(const int32_t *acc, const int32_t *requant, int32_t n,
                          const nacre_conv_params_t *p, uint8_t *y)
{
    const int32_t *shift = requant + p->output_c;
    const int32_t offset = p->output_offset;
    const int32_t low = p->activation_min - offset;
    const int32_t high = p->activation_max - offset;
    if (nacre_rounds_once(shift[0])) {
        for (int32_t j = 0; j < n; ++j) {
            const int32_t scaled = nacre_requantize_once(acc[j], requant[j], shift[j]);
            y[j] = (uint8_t)(nacre_clamp(scaled, low, high) + offset);
        }
        return;
    }
    for (int32_t j = 0; j < n; ++j) {
        const int32_t scaled = nacre_requantize(acc[j], requant[j], shift[j]);
        y[j] = (uint8_t)(nacre_clamp(scaled, low, high) + offset);
    }
}
