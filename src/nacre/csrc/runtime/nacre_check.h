/* SPDX-License-Identifier: Apache-2.0 */
/* How the checks of kernels count: what a call reaches, without overflow.
 *
 * A check fills need[k] for the pointers k of the prototype: the elements that the call may touch
 * from the pointer on; below[k] for those before it. A number that is negative, or more than an
 * int32_t holds, is NACRE_BAD, and so is everything computed from it.
 */
#ifndef NACRE_CHECK_H
#define NACRE_CHECK_H

#include "nacre_runtime.h"

#define NACRE_BAD INT64_C(-1)
#define NACRE_MAX_POINTERS 12
/* No region is larger, so no step needs to be. */
#define NACRE_FAR (INT64_C(1) << NACRE_OFFSET_BITS)

typedef struct nacre_check {
    const void *p[2]; /* parameter structs in the order of the prototype */
    int32_t begin;    /* the window of rows */
    int32_t end;
    int32_t number[2];
    int32_t variant;
    int32_t pointers;
    int64_t need[NACRE_MAX_POINTERS];
    int64_t below[NACRE_MAX_POINTERS];
    uint32_t place[NACRE_MAX_POINTERS]; /* pointer words */
    uint8_t size[NACRE_MAX_POINTERS];   /* bytes of an element; the sign bit: written */
    uint8_t alignment[NACRE_MAX_POINTERS]; /* bytes, where it is more than an element's */
    /* The bytes of a constant as the file has them; NULL for other pointers. */
    const void *content[NACRE_MAX_POINTERS];
} nacre_check_t;

#define NACRE_WRITTEN 0x80u

int64_t nacre_times(int64_t a, int64_t b);
int64_t nacre_plus(int64_t a, int64_t b);
/* a * b * c and a * b * c * d. */
int64_t nacre_times3(int64_t a, int64_t b, int64_t c);
int64_t nacre_times4(int64_t a, int64_t b, int64_t c, int64_t d);
/* Rows that are kept of `rows`: at most `ring`, which is at least 1. */
int64_t nacre_kept(int32_t ring, int64_t rows);
/* The last of `count` pieces `step` apart ends here: (count - 1) * step + size; 0 for none. */
int64_t nacre_span(int64_t count, int64_t step, int64_t size);
/* 1 when low <= x <= high. */
int32_t nacre_between(int64_t x, int64_t low, int64_t high);
/* All of n numbers are between. */
int32_t nacre_all_between(const int32_t *x, int32_t n, int32_t low, int32_t high);
/* Shift of nacre_requantize. */
int32_t nacre_shift_fits(int32_t shift);
/* The same where one rounding may be asked for (nacre_requant.h): of one, of n that are alike. */
int32_t nacre_scale_fits(int32_t shift);
int32_t nacre_scales_fit(const int32_t *shift, int32_t n);
/* Offsets and limits of values of up to 16 bits. */
int32_t nacre_small(int32_t x);
/* The constants of 64 bits at a pointer leave room for sums: below 2^46. */
int32_t nacre_biases_fit(const nacre_check_t *c, int32_t pointer, int32_t count);
/* Index sizes and element sizes. */
int32_t nacre_index_size(int32_t bytes);
int32_t nacre_element_size(int32_t bytes);
/* Do bytes [at, at + size) behind pointer a and those behind pointer b lie apart? */
int32_t nacre_apart(const nacre_check_t *c, int32_t a, int64_t a_at, int64_t a_size, int32_t b,
                    int64_t b_at, int64_t b_size);

#endif
