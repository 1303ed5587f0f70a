/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a small tensor over a box of a large one, at a place that is read at run time.
 *
 * output = operand; output[start + i] = update[i]. Each start[d] is brought into [0, limits[d]].
 * `strides` are bytes of the operand per index; the update is `counts` loops around runs of `run`
 * bytes, with counts of 1 for the dimensions that are inside a run.
 * operand and output may overlap; where they are one, only the box is written.
 */
#ifndef NACRE_UPDATE_SLICE_H
#define NACRE_UPDATE_SLICE_H

#include "nacre_gather.h"

typedef struct {
    int32_t bytes;
    int32_t rank;
    int32_t limits[6];
    int32_t strides[6];
    int32_t counts[6];
    int32_t run;
    int32_t index_bytes;
} nacre_update_slice_params_t;

void nacre_update_slice(const void *operand, const void *update, const void *start, void *output,
                        const nacre_update_slice_params_t *p);

#endif
