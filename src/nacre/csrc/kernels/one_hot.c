/* SPDX-License-Identifier: Apache-2.0 */
/* Turns indices into vectors that are on at one place. */
#include "nacre_one_hot.h"

NACRE_CODE
static int64_t index_at(const void *indices, int32_t at, int32_t index_bytes)
{
    const uint8_t *place = (const uint8_t *)indices + (ptrdiff_t)at * index_bytes;
    int32_t word = 0;
    int64_t wide = 0;
    if (index_bytes == 4) {
        memcpy(&word, place, 4);
        return word;
    }
    memcpy(&wide, place, 8);
    return wide;
}

NACRE_CODE
void nacre_one_hot(const void *indices, void *output, const nacre_one_hot_params_t *p)
{
    uint8_t *y = (uint8_t *)output;
    const int32_t block = p->depth * p->inner * p->element;
    for (int32_t o = 0; o < p->outer; ++o) {
        nacre_fill_bytes(y, block, p->element, p->off);
        for (int32_t i = 0; i < p->inner; ++i) {
            const int64_t d = index_at(indices, o * p->inner + i, p->index_bytes);
            if (d >= 0 && d < p->depth) {
                const ptrdiff_t place = (ptrdiff_t)d * p->inner + i;
                nacre_fill_bytes(y + place * p->element, p->element, p->element, p->on);
            }
        }
        y += block;
    }
}
