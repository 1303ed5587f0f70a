/* SPDX-License-Identifier: Apache-2.0 */
/* Scales a frame of int16 samples up as far as it fits. */
#include "nacre_signal.h"

/* The largest |x| as the source runtime finds it: 16 bits wide, so that 32768 wraps and a later
 * sample may replace it. */
NACRE_CODE
static int16_t largest_of(const int16_t *x, int32_t length)
{
    int16_t largest = 0;
    for (int32_t i = 0; i < length; ++i) {
        if (x[i] > largest || -x[i] > largest) {
            largest = (int16_t)(x[i] > largest ? x[i] : -x[i]);
        }
    }
    return largest;
}

NACRE_CODE
void nacre_signal_auto_scale_s16(const int16_t *input, int16_t *output, int32_t *bits,
                                 const nacre_signal_auto_scale_params_t *p)
{
    const int16_t largest = largest_of(input, p->length);
    const int32_t up = largest > 0 ? 15 - nacre_bit_length((uint32_t)largest) : 0;
    for (int32_t i = 0; i < p->length; ++i) {
        output[i] = (int16_t)(input[i] * (1 << up));
    }
    *bits = up;
}
