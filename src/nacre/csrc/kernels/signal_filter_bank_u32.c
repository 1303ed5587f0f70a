/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted sums of energies over overlapping bands. */
#include "nacre_signal.h"

NACRE_CODE
void nacre_signal_filter_bank_u32(const uint32_t *input, const int16_t *weights,
                                  const int16_t *unweights, const int16_t *bins,
                                  const int16_t *first, const int16_t *widths, uint64_t *output,
                                  const nacre_signal_filter_bank_params_t *p)
{
    uint64_t next = 0;
    for (int32_t c = 0; c <= p->channels; ++c) {
        uint64_t sum = next;
        next = 0;
        for (int32_t i = 0; i < widths[c]; ++i) {
            const uint64_t x = input[bins[c] + i];
            sum += (uint64_t)weights[first[c] + i] * x;
            next += (uint64_t)unweights[first[c] + i] * x;
        }
        if (c > 0) {
            output[c - 1] = sum;
        }
    }
}
