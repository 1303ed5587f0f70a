/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of int16 samples times a window. */
#include "nacre_signal.h"

NACRE_CODE
void nacre_signal_window_s16(const int16_t *input, const int16_t *window, int16_t *output,
                             const nacre_signal_window_params_t *p)
{
    for (int32_t frame = 0; frame < p->frames; ++frame) {
        for (int32_t i = 0; i < p->length; ++i) {
            const int32_t raw = (input[i] * window[i]) >> p->shift;
            output[i] = (int16_t)nacre_clamp(raw, INT16_MIN, INT16_MAX);
        }
        input += p->length;
        output += p->length;
    }
}
