/* SPDX-License-Identifier: Apache-2.0 */
/* Indices as vectors that are on at one place.
 *
 * output[o][d][i] = indices[o][i] == d ? on : off;  o < outer, d < depth, i < inner.
 * Indices have index_bytes = 4 or 8 bytes; one outside [0, depth) turns nothing on. Values have
 * `element` bytes and the bits on[2], off[2] as in nacre_fill.h.
 */
#ifndef NACRE_ONE_HOT_H
#define NACRE_ONE_HOT_H

#include "nacre_fill.h"

typedef struct {
    int32_t outer;
    int32_t depth;
    int32_t inner;
    int32_t element;
    int32_t on[2];
    int32_t off[2];
    int32_t index_bytes;
} nacre_one_hot_params_t;

void nacre_one_hot(const void *indices, void *output, const nacre_one_hot_params_t *p);

#endif
