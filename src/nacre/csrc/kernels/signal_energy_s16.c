/* SPDX-License-Identifier: Apache-2.0 */
/* Energy of int16 spectra. */
#include "nacre_signal.h"

NACRE_CODE
void nacre_signal_energy_s16(const int16_t *input, uint32_t *output,
                             const nacre_signal_energy_params_t *p)
{
    for (int32_t i = 0; i < p->bins; ++i) {
        const int32_t re = input[2 * i];
        const int32_t im = input[2 * i + 1];
        const int32_t counts = i >= p->begin && i < p->end;
        output[i] = counts ? (uint32_t)(re * re) + (uint32_t)(im * im) : 0u;
    }
}
