/* SPDX-License-Identifier: Apache-2.0 */
/* Picking and replacing single elements by indices that are read at run time.
 *
 * Place i = (i0, ..., i5), i_d < dims[d], of the indices and of the updates or the output stands
 * for the element of the data at
 *   a(i) = sum i_d * strides[d] + axis_stride * index(sum i_d * index_strides[d]);
 * the stride of the axis itself is 0. Indices are int32 or int64 (index_bytes 4 or 8), below 0
 * they count from the end; one that is out of range counts as the nearest that is not. */
#ifndef NACRE_ELEMENTS_H
#define NACRE_ELEMENTS_H

#include "nacre_gather.h"

typedef struct {
    int32_t bytes;       /* of the data */
    int32_t item;        /* bytes of an element: 1, 2, 4 or 8 */
    int32_t index_bytes; /* 4 or 8 */
    int32_t axis_size;
    int32_t axis_stride;
    int32_t reduction; /* 0 replaces, 1 adds, 2 multiplies, 3 takes the larger, 4 the smaller */
    int32_t dims[6];
    int32_t strides[6];
    int32_t index_strides[6];
} nacre_elements_params_t;

/* The walk over the places, in order. */
typedef struct {
    int32_t at[6];
    int32_t data;
    int32_t index;
} nacre_places_t;

NACRE_CODE
static inline void nacre_next_place(nacre_places_t *place, const nacre_elements_params_t *p)
{
    for (int32_t d = 5; d >= 0; --d) {
        place->data += p->strides[d];
        place->index += p->index_strides[d];
        if (++place->at[d] < p->dims[d]) {
            return;
        }
        place->data -= p->strides[d] * p->dims[d];
        place->index -= p->index_strides[d] * p->dims[d];
        place->at[d] = 0;
    }
}

NACRE_CODE
static inline int32_t nacre_place_count(const nacre_elements_params_t *p)
{
    int32_t count = 1;
    for (int32_t d = 0; d < 6; ++d) {
        count *= p->dims[d];
    }
    return count;
}

/* Which element of the data a place stands for. */
NACRE_CODE
static inline int32_t nacre_element_at(const void *indices, const nacre_places_t *place,
                                       const nacre_elements_params_t *p)
{
    const uint8_t *from = (const uint8_t *)indices + (ptrdiff_t)place->index * p->index_bytes;
    int64_t index = 0;
    if (p->index_bytes == 8) {
        memcpy(&index, from, 8);
    } else {
        int32_t word = 0;
        memcpy(&word, from, 4);
        index = word;
    }
    index = index < 0 ? (index < -p->axis_size ? 0 : index + p->axis_size) : index;
    index = index < p->axis_size ? index : p->axis_size - 1;
    return place->data + (int32_t)index * p->axis_stride;
}

/* output[i] = data[a(i)]. No aliasing. */
void nacre_gather_elements(const void *data, const void *indices, void *output,
                           const nacre_elements_params_t *p);

/* output = data, then output[a(i)] = updates[i] in the order of i. output may be data. */
void nacre_scatter_elements(const void *data, const void *indices, const void *updates,
                            void *output, const nacre_elements_params_t *p);

/* The same with a reduction: output[a(i)] = f(output[a(i)], updates[i]). */
void nacre_scatter_elements_f32(const float *data, const void *indices, const float *updates,
                                float *output, const nacre_elements_params_t *p);

#endif
