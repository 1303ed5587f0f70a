/* SPDX-License-Identifier: Apache-2.0 */
/* Picks rows of an int8 table as floats. */
#include "nacre_gather.h"

NACRE_CODE
void nacre_embedding_s8(const void *indices, const int8_t *table, const float *scales,
                        float *output, const nacre_embedding_params_t *p)
{
    for (int32_t k = 0; k < p->count; ++k) {
        const int32_t index = nacre_index(indices, k, p->index_bytes, p->rows);
        const int8_t *row = table + (ptrdiff_t)index * p->columns;
        const float scale = scales[index * p->scale_step];
        for (int32_t i = 0; i < p->columns; ++i) {
            output[i] = (float)row[i] * scale;
        }
        output += p->columns;
    }
}
