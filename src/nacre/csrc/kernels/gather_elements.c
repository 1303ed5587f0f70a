/* SPDX-License-Identifier: Apache-2.0 */
/* Picks single elements along one dimension. */
#include "nacre_elements.h"

NACRE_CODE
void nacre_gather_elements(const void *data, const void *indices, void *output,
                           const nacre_elements_params_t *p)
{
    const int32_t count = nacre_place_count(p);
    nacre_places_t place = {{0, 0, 0, 0, 0, 0}, 0, 0};
    for (int32_t i = 0; i < count; ++i) {
        const int32_t from = nacre_element_at(indices, &place, p);
        nacre_copy_run((uint8_t *)output + (ptrdiff_t)i * p->item,
                       (const uint8_t *)data + (ptrdiff_t)from * p->item, p->item);
        nacre_next_place(&place, p);
    }
}
