/* SPDX-License-Identifier: Apache-2.0 */
/* Adds to, multiplies or compares single floats along one dimension. */
#include "nacre_elements.h"

NACRE_CODE
static float joined(float a, float b, int32_t reduction)
{
    switch (reduction) {
    case 1:
        return a + b;
    case 2:
        return a * b;
    case 3:
        return a > b ? a : b;
    default:
        return a < b ? a : b;
    }
}

NACRE_CODE
void nacre_scatter_elements_f32(const float *data, const void *indices, const float *updates,
                                float *output, const nacre_elements_params_t *p)
{
    const int32_t count = nacre_place_count(p);
    nacre_places_t place = {{0, 0, 0, 0, 0, 0}, 0, 0};
    if (output != data) {
        memcpy(output, data, (size_t)p->bytes);
    }
    for (int32_t i = 0; i < count; ++i) {
        const int32_t to = nacre_element_at(indices, &place, p);
        output[to] = joined(output[to], updates[i], p->reduction);
        nacre_next_place(&place, p);
    }
}
