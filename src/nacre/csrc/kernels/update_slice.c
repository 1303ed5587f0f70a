/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a box of a tensor at a place that is read at run time. */
#include "nacre_update_slice.h"

/* Steps the loops; returns the byte of the next run, or -1 when they are done. */
NACRE_CODE
static ptrdiff_t next(int32_t index[6], ptrdiff_t place, const nacre_update_slice_params_t *p)
{
    for (int32_t d = p->rank - 1; d >= 0; --d) {
        if (++index[d] < p->counts[d]) {
            return place + p->strides[d];
        }
        place -= (ptrdiff_t)(p->counts[d] - 1) * p->strides[d];
        index[d] = 0;
    }
    return -1;
}

NACRE_CODE
void nacre_update_slice(const void *operand, const void *update, const void *start, void *output,
                        const nacre_update_slice_params_t *p)
{
    const uint8_t *x = (const uint8_t *)update;
    int32_t index[6] = {0, 0, 0, 0, 0, 0};
    ptrdiff_t place = 0;
    if (operand != output) {
        memmove(output, operand, (size_t)p->bytes);
    }
    for (int32_t d = 0; d < p->rank; ++d) {
        const int32_t first = nacre_index(start, d, p->index_bytes, p->limits[d] + 1);
        place += (ptrdiff_t)first * p->strides[d];
    }
    while (place >= 0) {
        nacre_copy_run((uint8_t *)output + place, x, p->run);
        x += p->run;
        place = next(index, place, p);
    }
}
