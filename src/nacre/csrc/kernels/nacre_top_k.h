/* SPDX-License-Identifier: Apache-2.0 */
/* The largest or smallest values of each row, with their places.
 *
 * values[r][j], indices[r][j]: the j-th of the `count` largest (largest = 1) or smallest values of
 * input[r][0 .. size), and where it is; of equal values the first comes first. count <= size.
 * No aliasing. */
#ifndef NACRE_TOP_K_H
#define NACRE_TOP_K_H

#include "nacre_kernel.h"

typedef struct {
    int32_t rows;
    int32_t size;
    int32_t count;
    int32_t largest;
} nacre_top_k_params_t;

void nacre_top_k_f32(const float *input, float *values, int64_t *indices,
                     const nacre_top_k_params_t *p);

#endif
