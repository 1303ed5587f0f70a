/* SPDX-License-Identifier: Apache-2.0 */
/* Rounded square roots of 64-bit energies. */
#include "nacre_signal.h"

/* The root grows bit by bit: `rest` is what x has left over its square. */
NACRE_CODE
static uint32_t rounded_root(uint64_t x)
{
    uint64_t bit = UINT64_C(1) << 62;
    uint64_t root = 0;
    uint64_t rest = x;
    while (bit > x) {
        bit >>= 2;
    }
    for (; bit != 0; bit >>= 2) {
        const uint64_t next = root + bit;
        root >>= 1;
        if (rest >= next) {
            rest -= next;
            root += bit;
        }
    }
    const int32_t rounds_up = rest > root && root != 0xFFFFu && root != 0xFFFFFFFFu;
    return (uint32_t)(rounds_up ? root + 1 : root);
}

NACRE_CODE
void nacre_signal_square_root_u64(const uint64_t *input, const int32_t *bits, uint32_t *output,
                                  const nacre_signal_square_root_params_t *p)
{
    const int32_t shift = *bits;
    for (int32_t i = 0; i < p->channels; ++i) {
        output[i] = shift >= 0 && shift < 32 ? rounded_root(input[i]) >> shift : 0u;
    }
}
