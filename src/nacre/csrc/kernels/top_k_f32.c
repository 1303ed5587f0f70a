/* SPDX-License-Identifier: Apache-2.0 */
/* The largest or smallest floats of each row, kept in order while the row is read. */
#include "nacre_top_k.h"

NACRE_CODE
static int comes_first(float a, float b, int32_t largest) { return largest ? a > b : a < b; }

/* Puts x, found at `place`, where it belongs among the first `kept` values. */
NACRE_CODE
static void insert(float x, int32_t place, float *values, int64_t *indices, int32_t kept,
                   const nacre_top_k_params_t *p)
{
    int32_t at = kept < p->count ? kept : p->count - 1;
    while (at > 0 && comes_first(x, values[at - 1], p->largest)) {
        values[at] = values[at - 1];
        indices[at] = indices[at - 1];
        --at;
    }
    values[at] = x;
    indices[at] = place;
}

NACRE_CODE
void nacre_top_k_f32(const float *input, float *values, int64_t *indices,
                     const nacre_top_k_params_t *p)
{
    for (int32_t r = 0; r < p->rows; ++r) {
        for (int32_t i = 0; i < p->size; ++i) {
            if (i < p->count || comes_first(input[i], values[p->count - 1], p->largest)) {
                insert(input[i], i, values, indices, i, p);
            }
        }
        input += p->size;
        values += p->count;
        indices += p->count;
    }
}
