/* SPDX-License-Identifier: Apache-2.0 */
/* Channels of an image to planes of their own. */
#ifndef NACRE_SPREAD_MVE_H
#define NACRE_SPREAD_MVE_H

#include "nacre_kernel.h"

/* `rows` rows of `lanes` bytes, 8 at a time: from + offsets[0][i] goes to to + offsets[1][i]. Every
 * eight move on by from_step and to_step, every row by from_row and to_row. lanes, rows > 0. */
typedef struct {
    const int8_t *from;
    int8_t *to;
    int32_t rows;
    int32_t lanes;
    int32_t from_step;
    int32_t to_step;
    int32_t from_row;
    int32_t to_row;
    uint16_t offsets[2][8];
} nacre_spread_t;

void nacre_spread_mve(const nacre_spread_t *spread);

#endif
