/* SPDX-License-Identifier: Apache-2.0 */
/* A vector times rows of weights, eight rows at a time, with Helium. */
#ifndef NACRE_ROWS_MVE_H
#define NACRE_ROWS_MVE_H

#include "nacre_kernel.h"

/* acc[j] = bias[j] + sum x[i] * w[j][i] for 8 * blocks rows j. A block of `stream` holds 8 words of
 * bias, then for every step of 16 elements, the last step and then the others, those of the 8 rows.
 * `last` is the elements of the last step, 1 to 16; no others are read of it, its weights are
 * filled up. Returns where the stream goes on. */
typedef struct {
    const int8_t *x;
    int32_t steps;
    int32_t last;
    int32_t blocks;
} nacre_rows_mve_t;

const int8_t *nacre_rows_s8_mve(const nacre_rows_mve_t *rows, const int8_t *stream, int32_t *acc);

#endif
