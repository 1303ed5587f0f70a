/* SPDX-License-Identifier: Apache-2.0 */
/* Spectral subtraction of a running estimate of the noise. */
#include "nacre_signal.h"

/* a * weight_a + b * weight_b in fractions of `bits` bits. */
NACRE_CODE
static uint32_t mix(uint32_t a, int32_t weight_a, uint32_t b, int32_t weight_b, int32_t bits)
{
    const uint64_t sum = (uint64_t)a * (uint32_t)weight_a + (uint64_t)b * (uint32_t)weight_b;
    return (uint32_t)(sum >> bits);
}

NACRE_CODE
void nacre_signal_subtraction_u32(const uint32_t *input, uint32_t *estimate, uint32_t *output,
                                  uint32_t *noise, const nacre_signal_subtraction_params_t *p)
{
    for (int32_t i = 0; i < p->channels; ++i) {
        const int32_t odd = i % 2;
        const uint32_t scaled = input[i] << p->smoothing_bits;
        const uint32_t mixed =
            mix(scaled, odd ? p->alternate_smoothing : p->smoothing, estimate[i],
                odd ? p->alternate_one_minus_smoothing : p->one_minus_smoothing, p->bits);
        const uint32_t below = mixed < scaled ? mixed : scaled;
        const uint32_t left = (scaled - below) >> p->smoothing_bits;
        const uint32_t least = mix(input[i], p->min_signal_remaining, 0u, 0, p->bits);
        estimate[i] = p->clamping ? below : mixed;
        noise[i] = estimate[i];
        output[i] = left > least ? left : least;
    }
}
