/* SPDX-License-Identifier: Apache-2.0 */
/* Scales a frame of int16 samples up as far as it fits. */
#include "nacre_signal.h"

void nacre_signal_auto_scale_s16(const int16_t *input, int16_t *output, int32_t *bits,
                                 const nacre_signal_auto_scale_params_t *p)
{
    int32_t largest = 0;
    for (int32_t i = 0; i < p->length; ++i) {
        largest = nacre_max(largest, input[i] < 0 ? -input[i] : input[i]);
    }
    const int32_t up = nacre_max(0, 15 - nacre_bit_length((uint32_t)largest));
    for (int32_t i = 0; i < p->length; ++i) {
        output[i] = (int16_t)(input[i] * (1 << up));
    }
    *bits = up;
}
