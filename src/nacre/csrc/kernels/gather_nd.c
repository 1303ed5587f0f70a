/* SPDX-License-Identifier: Apache-2.0 */
/* Picks slices by coordinates. */
#include "nacre_gather.h"

NACRE_CODE
void nacre_gather_nd(const void *input, const void *indices, void *output,
                     const nacre_gather_nd_params_t *p)
{
    uint8_t *y = (uint8_t *)output;
    for (int32_t k = 0; k < p->count; ++k) {
        ptrdiff_t place = 0;
        for (int32_t d = 0; d < p->depth; ++d) {
            const int32_t index =
                nacre_index(indices, k * p->depth + d, p->index_bytes, p->dims[d]);
            place += (ptrdiff_t)index * p->strides[d];
        }
        nacre_copy_run(y, (const uint8_t *)input + place, p->run);
        y += p->run;
    }
}
