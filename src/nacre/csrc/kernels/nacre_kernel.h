/* SPDX-License-Identifier: Apache-2.0 */
/* Types that all kernels share. Layout is NHWC, ranges are half-open, sizes count elements. */
#ifndef NACRE_KERNEL_H
#define NACRE_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "nacre_names.h"

/* Stands before every function definition: a module that places kernels puts a section here. */
#ifndef NACRE_CODE
#define NACRE_CODE
#endif

/* Output rows [begin, end) of a window. Row r of a tensor that is kept as a ring of `ring` rows
 * starts at data + (r % ring) * row size; a tensor that is kept whole has ring = its height. */
typedef struct {
    int32_t begin;
    int32_t end;
} nacre_rows_t;

NACRE_CODE
static inline int32_t nacre_min(int32_t a, int32_t b) { return a < b ? a : b; }
NACRE_CODE
static inline int32_t nacre_max(int32_t a, int32_t b) { return a > b ? a : b; }
NACRE_CODE
static inline int32_t nacre_clamp(int32_t x, int32_t low, int32_t high)
{
    return nacre_min(nacre_max(x, low), high);
}
/* clamp(x + offset) for any x: the limits and the offset have 16 bits. */
NACRE_CODE
static inline int32_t nacre_clamp_offset(int32_t x, int32_t offset, int32_t low, int32_t high)
{
    return nacre_clamp(x, low - offset, high - offset) + offset;
}
/* a + b modulo 2^32. */
NACRE_CODE
static inline int32_t nacre_add_wrapping(int32_t a, int32_t b)
{
    return (int32_t)((uint32_t)a + (uint32_t)b);
}
NACRE_CODE
static inline float nacre_clamp_f32(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

#endif
