/* SPDX-License-Identifier: Apache-2.0 */
/* Picks slices along one dimension. */
#include "nacre_gather.h"

NACRE_CODE
void nacre_gather(const void *input, const void *indices, void *output,
                  const nacre_gather_params_t *p)
{
    const uint8_t *x = (const uint8_t *)input;
    uint8_t *y = (uint8_t *)output;
    for (int32_t b = 0; b < p->batches; ++b) {
        for (int32_t o = 0; o < p->outer; ++o) {
            for (int32_t k = 0; k < p->count; ++k) {
                const int32_t index =
                    nacre_index(indices, b * p->count + k, p->index_bytes, p->size);
                nacre_copy_run(y, x + (ptrdiff_t)index * p->run, p->run);
                y += p->run;
            }
            x += (ptrdiff_t)p->size * p->run;
        }
    }
}
