/* SPDX-License-Identifier: Apache-2.0 */
/* The taps of four pixels, copied side by side. */
#ifndef NACRE_GATHER_MVE_H
#define NACRE_GATHER_MVE_H

#include "nacre_kernel.h"

/* For each of `count` rows, `run` bytes of four pixels that are `step` bytes apart, from
 * row + offset on; to[pixel * pitch + row number * run]. Copies 16 bytes at a time, so up to 15
 * more are read and written behind each run: those of the next row come later. */
typedef struct {
    const int8_t *const *rows;
    int32_t count;
    int32_t step;
    int32_t pitch;
    int32_t run;
} nacre_gather_t;

void nacre_gather_mve(const nacre_gather_t *gather, int32_t offset, int8_t *to);

#endif
