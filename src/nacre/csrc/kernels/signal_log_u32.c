/* SPDX-License-Identifier: Apache-2.0 */
/* Scaled natural logarithms of 32-bit values. */
#include "nacre_signal.h"

/* log2(x) in 16 fraction bits: the highest bit, the bits behind it, and a correction. */
NACRE_CODE
static uint32_t log2_of(uint32_t x, const uint16_t *lut)
{
    const int32_t whole = nacre_bit_length(x) - 1;
    const uint32_t rest = x - (UINT32_C(1) << whole);
    const int32_t fraction = (int32_t)(whole < 16 ? rest << (16 - whole) : rest >> (whole - 16));
    const int32_t segment = fraction >> 9;
    const int32_t rise = lut[segment + 1] - lut[segment];
    const int32_t between = (rise * (fraction - segment * 512)) >> 16;
    return ((uint32_t)whole << 16) + (uint32_t)(fraction + lut[segment] + between);
}

NACRE_CODE
void nacre_signal_log_u32(const uint32_t *input, const uint16_t *lut, int16_t *output,
                          const nacre_signal_log_params_t *p)
{
    const uint64_t ln2 = 45426u;
    const uint32_t half = UINT32_C(1) << 15;
    for (int32_t i = 0; i < p->channels; ++i) {
        const uint32_t x = input[i] << p->correction_bits;
        uint32_t y = 0;
        if (x > 1u) {
            const uint32_t natural = (uint32_t)((ln2 * log2_of(x, lut) + half) >> 16);
            y = ((uint32_t)p->output_scale * natural + half) >> 16;
        }
        output[i] = (int16_t)(y < (uint32_t)INT16_MAX ? y : (uint32_t)INT16_MAX);
    }
}
