/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices: y[b][r][c] = sum over k of x[b](r, k) * z[b](k, c).
 *
 * x[b](r, k) is at x + batch offset + r * x_row_step + k * x_depth_step, z[b](k, c) at z + batch
 * offset + k * z_depth_step + c * z_column_step; one step of each operand is 1. A batch step of 0
 * repeats a matrix. y is [batches][rows][columns] and must not overlap the operands. No scratch.
 */
#ifndef NACRE_BATCH_MATMUL_H
#define NACRE_BATCH_MATMUL_H

#include "nacre_kernel.h"

typedef struct {
    int32_t batches[3];
    int32_t x_batch_steps[3];
    int32_t z_batch_steps[3];
    int32_t rows;
    int32_t columns;
    int32_t depth;
    int32_t x_row_step;
    int32_t x_depth_step;
    int32_t z_depth_step;
    int32_t z_column_step;
} nacre_matmul_shape_t;

/* y = clamp(requantize(sum (x + x_offset) * (z + z_offset)) + output_offset);
 * x_offset = -zero_point(x), z_offset = -zero_point(z) */
typedef struct {
    int32_t x_offset;
    int32_t z_offset;
    int32_t output_offset;
    int32_t multiplier;
    int32_t shift;
} nacre_matmul_scale_t;

/* 32-bit sums, rounded as the shift asks for (nacre_requant.h). */
void nacre_batch_matmul_s8(const int8_t *x, const int8_t *z, int8_t *y,
                           const nacre_matmul_shape_t *p, const nacre_matmul_scale_t *s);

/* 64-bit sums, rounded once; zero points are 0. */
void nacre_batch_matmul_s16(const int16_t *x, const int16_t *z, int16_t *y,
                            const nacre_matmul_shape_t *p, const nacre_matmul_scale_t *s);

/* Summed in the order of k. */
void nacre_batch_matmul_f32(const float *x, const float *z, float *y,
                            const nacre_matmul_shape_t *p);

/* The products of one batch: offsets of their operands. */
typedef struct {
    int32_t x;
    int32_t z;
} nacre_matmul_batch_t;

NACRE_CODE
static inline nacre_matmul_batch_t nacre_matmul_batch(const nacre_matmul_shape_t *p, int32_t batch)
{
    const int32_t b2 = batch % p->batches[2];
    const int32_t b1 = batch / p->batches[2] % p->batches[1];
    const int32_t b0 = batch / p->batches[2] / p->batches[1];
    const int32_t *const x = p->x_batch_steps;
    const int32_t *const z = p->z_batch_steps;
    const nacre_matmul_batch_t at = {b0 * x[0] + b1 * x[1] + b2 * x[2],
                                     b0 * z[0] + b1 * z[1] + b2 * z[2]};
    return at;
}

NACRE_CODE
static inline int32_t nacre_matmul_batches(const nacre_matmul_shape_t *p)
{
    return p->batches[0] * p->batches[1] * p->batches[2];
}

#endif
