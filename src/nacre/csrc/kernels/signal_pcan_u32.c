/* SPDX-License-Identifier: Apache-2.0 */
/* Automatic gain control by the noise of each channel. */
#include "nacre_signal.h"

/* A parabola over the ten bits behind the highest one. */
NACRE_CODE
static int16_t gain_of(uint32_t noise, const int16_t *lut)
{
    if (noise <= 2u) {
        return lut[noise];
    }
    const int32_t bits = nacre_bit_length(noise);
    const uint32_t aligned = bits < 11 ? noise << (11 - bits) : noise >> (bits - 11);
    const int32_t fraction = (int32_t)(aligned & 0x3FFu);
    const int16_t *segment = lut + (4 * bits - 6);
    const int32_t slope = ((segment[2] * fraction) >> 5) + segment[1] * 32;
    const int32_t rise = (int32_t)((uint32_t)slope * (uint32_t)fraction + (UINT32_C(1) << 14));
    return (int16_t)((rise >> 15) + segment[0]);
}

/* x^2 / 4 below 2, x - 1 above: 12 fraction bits become 6. */
NACRE_CODE
static uint32_t shrink(uint32_t x)
{
    return x < (UINT32_C(2) << 12) ? (x * x) >> 20 : (x >> 6) - (UINT32_C(1) << 6);
}

NACRE_CODE
void nacre_signal_pcan_u32(const uint32_t *input, const uint32_t *noise, const int16_t *lut,
                           uint32_t *output, const nacre_signal_pcan_params_t *p)
{
    for (int32_t i = 0; i < p->channels; ++i) {
        const uint32_t gain = (uint32_t)gain_of(noise[i], lut);
        output[i] = shrink((uint32_t)(((uint64_t)input[i] * gain) >> p->snr_shift));
    }
}
