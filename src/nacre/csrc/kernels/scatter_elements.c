/* SPDX-License-Identifier: Apache-2.0 */
/* Replaces single elements along one dimension. */
#include "nacre_elements.h"

NACRE_CODE
void nacre_scatter_elements(const void *data, const void *indices, const void *updates,
                            void *output, const nacre_elements_params_t *p)
{
    const int32_t count = nacre_place_count(p);
    nacre_places_t place = {{0, 0, 0, 0, 0, 0}, 0, 0};
    if (output != data) {
        memcpy(output, data, (size_t)p->bytes);
    }
    for (int32_t i = 0; i < count; ++i) {
        const int32_t to = nacre_element_at(indices, &place, p);
        nacre_copy_run((uint8_t *)output + (ptrdiff_t)to * p->item,
                       (const uint8_t *)updates + (ptrdiff_t)i * p->item, p->item);
        nacre_next_place(&place, p);
    }
}
