/* SPDX-License-Identifier: Apache-2.0 */
/* How elementwise kernels walk over tensors.
 *
 * One input (nacre_each_t): output row r is f of input row r, `row` elements each.
 *
 * Two inputs (nacre_broadcast_t): an output row is [dims[0]][dims[1]][dims[2]][dims[3]][run];
 * element (d0, d1, d2, d3, i) of row r is f(a, b) with
 *   a = first[(r % first_ring) * first_row + sum d_k * first_strides[k] + i * first_step]
 * and b likewise. A stride, or a step, of 0 repeats; a ring of 1 repeats over the rows.
 * Sizes and strides count elements. Rows go in order, elements of a row too, and an element is
 * read before it is written: the output may be an input that is not repeated.
 */
#ifndef NACRE_ELEMENTWISE_H
#define NACRE_ELEMENTWISE_H

#include "nacre_kernel.h"

typedef struct {
    int32_t row;
    int32_t input_ring;
    int32_t output_ring;
} nacre_each_t;

typedef struct {
    int32_t dims[4];
    int32_t run;
    int32_t output_row;
    int32_t output_ring;
    int32_t first_strides[4];
    int32_t first_step;
    int32_t first_row;
    int32_t first_ring;
    int32_t second_strides[4];
    int32_t second_step;
    int32_t second_row;
    int32_t second_ring;
} nacre_broadcast_t;

/* Where a run begins: offsets into the three tensors. */
typedef struct {
    int32_t row;
    int32_t at[4];
    int32_t first;
    int32_t second;
    int32_t output;
} nacre_walk_t;

NACRE_CODE
static inline nacre_walk_t nacre_walk_row(const nacre_broadcast_t *p, int32_t row)
{
    const nacre_walk_t walk = {row,
                               {0, 0, 0, 0},
                               (row % p->first_ring) * p->first_row,
                               (row % p->second_ring) * p->second_row,
                               (row % p->output_ring) * p->output_row};
    return walk;
}

/* Go to the next run. */
NACRE_CODE
static inline void nacre_walk_next(nacre_walk_t *walk, const nacre_broadcast_t *p, int32_t end)
{
    walk->output += p->run;
    for (int32_t d = 3; d >= 0; --d) {
        walk->first += p->first_strides[d];
        walk->second += p->second_strides[d];
        if (++walk->at[d] < p->dims[d]) {
            return;
        }
        walk->at[d] = 0;
        walk->first -= p->dims[d] * p->first_strides[d];
        walk->second -= p->dims[d] * p->second_strides[d];
    }
    if (++walk->row < end) {
        *walk = nacre_walk_row(p, walk->row);
    }
}

#define NACRE_FOR_EACH_RUN(WALK) \
    for (nacre_walk_t WALK = nacre_walk_row(shape, rows.begin); WALK.row < rows.end; \
         nacre_walk_next(&WALK, shape, rows.end))

/* The body of a kernel of two inputs: y = VALUE, an expression of a (type A) and b (type B).
 * One loop per pattern, so that simple expressions vectorise. */
#define NACRE_BINARY(A, B, Y, VALUE) \
    NACRE_FOR_EACH_RUN(walk) \
    { \
        const A *const x = first + walk.first; \
        const B *const z = second + walk.second; \
        Y *const y = output + walk.output; \
        const int32_t run = shape->run; \
        if (shape->first_step == 0) { \
            const A a = x[0]; \
            for (int32_t i = 0; i < run; ++i) { \
                const B b = z[i]; \
                y[i] = (Y)(VALUE); \
            } \
        } else if (shape->second_step == 0) { \
            const B b = z[0]; \
            for (int32_t i = 0; i < run; ++i) { \
                const A a = x[i]; \
                y[i] = (Y)(VALUE); \
            } \
        } else { \
            for (int32_t i = 0; i < run; ++i) { \
                const A a = x[i]; \
                const B b = z[i]; \
                y[i] = (Y)(VALUE); \
            } \
        } \
    }

/* The same in one loop: for values that take much code. */
#define NACRE_BINARY_COMPACT(A, B, Y, VALUE) \
    NACRE_FOR_EACH_RUN(walk) \
    { \
        const A *x = first + walk.first; \
        const B *z = second + walk.second; \
        Y *const y = output + walk.output; \
        const int32_t run = shape->run; \
        const int32_t x_step = shape->first_step; \
        const int32_t z_step = shape->second_step; \
        for (int32_t i = 0; i < run; ++i) { \
            const A a = *x; \
            const B b = *z; \
            y[i] = (Y)(VALUE); \
            x += x_step; \
            z += z_step; \
        } \
    }

/* The body of a kernel of one input: y = VALUE, an expression of x (type X). */
#define NACRE_UNARY(X, Y, VALUE) \
    for (int32_t r = rows.begin; r < rows.end; ++r) { \
        const X *const from = input + (r % shape->input_ring) * shape->row; \
        Y *const to = output + (r % shape->output_ring) * shape->row; \
        const int32_t row = shape->row; \
        for (int32_t i = 0; i < row; ++i) { \
            const X x = from[i]; \
            to[i] = (Y)(VALUE); \
        } \
    }

#endif
