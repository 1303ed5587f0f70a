/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of many tensors, one after another. Tensors are walked as nacre_elementwise.h says.
 *
 * sum = (keep ? sum : 0) + requantize((x + input_offset) << 20);  input_offset = -zero_point(x)
 * The multiplier is at most one half, so that 16 inputs fit; requantize_s32_s8 finishes the sum.
 */
#ifndef NACRE_ADD_N_H
#define NACRE_ADD_N_H

#include "nacre_elementwise.h"
#include "nacre_requant.h"

typedef struct {
    int32_t input_offset;
    int32_t multiplier;
    int32_t shift;
    int32_t keep;
} nacre_accumulate_params_t;

void nacre_accumulate_s8(const int8_t *input, int32_t *sum, const nacre_each_t *shape,
                         const nacre_accumulate_params_t *p, nacre_rows_t rows);

#endif
