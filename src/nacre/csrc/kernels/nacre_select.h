/* SPDX-License-Identifier: Apache-2.0 */
/* One of two values by a condition: y = condition != 0 ? then : otherwise.
 *
 * All three inputs broadcast as the two of nacre_elementwise.h do; strides holds those of the
 * condition, then of the second, then of the third input, four each. Values are moved by their
 * size: signs and scales do not matter. The output may be an input that is not repeated.
 */
#ifndef NACRE_SELECT_H
#define NACRE_SELECT_H

#include "nacre_kernel.h"

typedef struct {
    int32_t dims[4];
    int32_t run;
    int32_t output_row;
    int32_t output_ring;
    int32_t strides[12];
    int32_t steps[3];
    int32_t row[3];
    int32_t ring[3];
} nacre_select_params_t;

void nacre_select_8(const uint8_t *condition, const uint8_t *then, const uint8_t *otherwise,
                    uint8_t *output, const nacre_select_params_t *p, nacre_rows_t rows);
void nacre_select_16(const uint8_t *condition, const int16_t *then, const int16_t *otherwise,
                     int16_t *output, const nacre_select_params_t *p, nacre_rows_t rows);
void nacre_select_32(const uint8_t *condition, const int32_t *then, const int32_t *otherwise,
                     int32_t *output, const nacre_select_params_t *p, nacre_rows_t rows);
void nacre_select_64(const uint8_t *condition, const int64_t *then, const int64_t *otherwise,
                     int64_t *output, const nacre_select_params_t *p, nacre_rows_t rows);

/* Where a run begins: offsets into the tensors. */
typedef struct {
    int32_t row;
    int32_t at[4];
    int32_t input[3];
    int32_t output;
} nacre_select_walk_t;

NACRE_CODE
static inline nacre_select_walk_t nacre_select_row(const nacre_select_params_t *p, int32_t row)
{
    const nacre_select_walk_t walk = {row,
                                      {0, 0, 0, 0},
                                      {(row % p->ring[0]) * p->row[0],
                                       (row % p->ring[1]) * p->row[1],
                                       (row % p->ring[2]) * p->row[2]},
                                      (row % p->output_ring) * p->output_row};
    return walk;
}

/* Go to the next run. */
NACRE_CODE
static inline void nacre_select_next(nacre_select_walk_t *walk, const nacre_select_params_t *p,
                                     int32_t end)
{
    walk->output += p->run;
    for (int32_t d = 3; d >= 0; --d) {
        const int32_t wraps = ++walk->at[d] == p->dims[d] ? p->dims[d] : 0;
        for (int32_t n = 0; n < 3; ++n) {
            walk->input[n] += (1 - wraps) * p->strides[4 * n + d];
        }
        if (wraps == 0) {
            return;
        }
        walk->at[d] = 0;
    }
    if (++walk->row < end) {
        *walk = nacre_select_row(p, walk->row);
    }
}

#endif
