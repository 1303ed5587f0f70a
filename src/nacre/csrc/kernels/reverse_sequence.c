/* SPDX-License-Identifier: Apache-2.0 */
/* Reverses the first part of each sequence. */
#include "nacre_reverse_sequence.h"

NACRE_CODE
static int32_t mirrored(int32_t s, int32_t length) { return s < length ? length - 1 - s : s; }

/* Which input slice the output slice (i, j) is. */
NACRE_CODE
static int32_t source(const void *lengths, int32_t i, int32_t m, int32_t j,
                      const nacre_reverse_sequence_params_t *p)
{
    if (p->batch_first) {
        j = mirrored(j, nacre_index(lengths, i, p->index_bytes, p->second + 1));
    } else {
        i = mirrored(i, nacre_index(lengths, j, p->index_bytes, p->first + 1));
    }
    return (i * p->middle + m) * p->second + j;
}

NACRE_CODE
void nacre_reverse_sequence(const void *input, const void *lengths, void *output,
                            const nacre_reverse_sequence_params_t *p)
{
    const uint8_t *x = (const uint8_t *)input;
    const ptrdiff_t block = (ptrdiff_t)p->first * p->middle * p->second * p->run;
    uint8_t *y = (uint8_t *)output;
    for (int32_t o = 0; o < p->outer; ++o) {
        for (int32_t i = 0; i < p->first; ++i) {
            for (int32_t m = 0; m < p->middle; ++m) {
                for (int32_t j = 0; j < p->second; ++j) {
                    const int32_t slice = source(lengths, i, m, j, p);
                    nacre_copy_run(y, x + (ptrdiff_t)slice * p->run, p->run);
                    y += p->run;
                }
            }
        }
        x += block;
    }
}
