/* SPDX-License-Identifier: Apache-2.0 */
/* Picking slices by indices that are read at run time.
 *
 * Indices are signed integers of index_bytes = 2, 4 or 8 bytes. One that is out of range counts
 * as the nearest that is in range, so no byte outside the input is read. No aliasing.
 */
#ifndef NACRE_GATHER_H
#define NACRE_GATHER_H

#include "nacre_move.h"

/* output[b][o][k] = input[b][o][indices[b][k]], slices of `run` bytes;
 * b < batches, o < outer, k < count, indices in [0, size). */
typedef struct {
    int32_t batches;
    int32_t outer;
    int32_t size;
    int32_t count;
    int32_t run;
    int32_t index_bytes;
} nacre_gather_params_t;

/* output[k] = input at byte sum indices[k][d] * strides[d], slices of `run` bytes;
 * k < count, d < depth, indices[k][d] in [0, dims[d]). */
typedef struct {
    int32_t count;
    int32_t depth;
    int32_t dims[6];
    int32_t strides[6];
    int32_t run;
    int32_t index_bytes;
} nacre_gather_nd_params_t;

/* output[k][i] = table[indices[k]][i] * scales[indices[k] * scale_step]; i < columns. */
typedef struct {
    int32_t rows;
    int32_t columns;
    int32_t count;
    int32_t scale_step;
    int32_t index_bytes;
} nacre_embedding_params_t;

/* Index number `at`, brought into [0, size). */
NACRE_CODE
static inline int32_t nacre_index(const void *indices, int32_t at, int32_t index_bytes,
                                  int32_t size)
{
    const uint8_t *place = (const uint8_t *)indices + (ptrdiff_t)at * index_bytes;
    int16_t half = 0;
    int32_t word = 0;
    int64_t wide = 0;
    if (index_bytes == 4) {
        memcpy(&word, place, 4);
        return nacre_clamp(word, 0, size - 1);
    }
    if (index_bytes == 2) {
        memcpy(&half, place, 2);
        return nacre_clamp(half, 0, size - 1);
    }
    memcpy(&wide, place, 8);
    return wide < 0 ? 0 : wide < size ? (int32_t)wide : size - 1;
}

void nacre_gather(const void *input, const void *indices, void *output,
                  const nacre_gather_params_t *p);

void nacre_gather_nd(const void *input, const void *indices, void *output,
                     const nacre_gather_nd_params_t *p);

void nacre_embedding_s8(const void *indices, const int8_t *table, const float *scales,
                        float *output, const nacre_embedding_params_t *p);

#endif
