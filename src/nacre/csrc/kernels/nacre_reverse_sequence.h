/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of different lengths backwards.
 *
 * The tensor is [outer][first][middle][second] of `run` bytes. If batch_first, first is the batch
 * and second the sequence: y[o][b][m][s] = x[o][b][m][s < length(b) ? length(b) - 1 - s : s];
 * else the other way round. Lengths are integers of index_bytes = 4 or 8 bytes, brought into
 * [0, sequence size]. No aliasing.
 */
#ifndef NACRE_REVERSE_SEQUENCE_H
#define NACRE_REVERSE_SEQUENCE_H

#include "nacre_gather.h"

typedef struct {
    int32_t outer;
    int32_t first;
    int32_t middle;
    int32_t second;
    int32_t run;
    int32_t batch_first;
    int32_t index_bytes;
} nacre_reverse_sequence_params_t;

void nacre_reverse_sequence(const void *input, const void *lengths, void *output,
                            const nacre_reverse_sequence_params_t *p);

#endif
