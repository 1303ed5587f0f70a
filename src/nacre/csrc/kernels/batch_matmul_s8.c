/* SPDX-License-Identifier: Apache-2.0 */
/* Products of int8 matrices. */
#include "nacre_batch_matmul.h"
#include "nacre_requant.h"

/* Columns that are summed side by side where they are neighbours in memory. */
#define LANES 8

NACRE_CODE
static int8_t finish(int32_t acc, const nacre_matmul_scale_t *s)
{
    const int32_t scaled = nacre_rescale(acc, s->multiplier, s->shift);
    return (int8_t)nacre_clamp_offset(scaled, s->output_offset, INT8_MIN, INT8_MAX);
}

/* LANES neighbouring columns of one row. */
NACRE_CODE
static void wide(const int8_t *x, const int8_t *z, int8_t *y, const nacre_matmul_shape_t *p, const nacre_matmul_scale_t *s)
{
    int32_t sums[LANES] = {0};
    for (int32_t k = 0; k < p->depth; ++k) {
        const int16_t left = (int16_t)(*x + s->x_offset);
        for (int32_t c = 0; c < LANES; ++c) {
            sums[c] += left * (int16_t)(z[c] + s->z_offset);
        }
        x += p->x_depth_step;
        z += p->z_depth_step;
    }
    for (int32_t c = 0; c < LANES; ++c) {
        y[c] = finish(sums[c], s);
    }
}

NACRE_CODE
static int8_t single(const int8_t *x, const int8_t *z, const nacre_matmul_shape_t *p, const nacre_matmul_scale_t *s)
{
    int32_t sum = 0;
    for (int32_t k = 0; k < p->depth; ++k) {
        sum += (x[k * p->x_depth_step] + s->x_offset) * (z[k * p->z_depth_step] + s->z_offset);
    }
    return finish(sum, s);
}

NACRE_CODE
void nacre_batch_matmul_s8(const int8_t *x, const int8_t *z, int8_t *y,
                           const nacre_matmul_shape_t *p, const nacre_matmul_scale_t *s)
{
    for (int32_t batch = 0; batch < nacre_matmul_batches(p); ++batch) {
        const nacre_matmul_batch_t at = nacre_matmul_batch(p, batch);
        for (int32_t row = 0; row < p->rows; ++row) {
            const int8_t *const left = x + at.x + row * p->x_row_step;
            int32_t c = 0;
            for (; p->z_column_step == 1 && c + LANES <= p->columns; c += LANES) {
                wide(left, z + at.z + c, y + c, p, s);
            }
            for (; c < p->columns; ++c) {
                y[c] = single(left, z + at.z + c * p->z_column_step, p, s);
            }
            y += p->columns;
        }
    }
}
