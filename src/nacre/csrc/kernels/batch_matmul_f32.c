/* SPDX-License-Identifier: Apache-2.0 */
/* Products of float matrices. */
#include "nacre_batch_matmul.h"

/* Columns that are summed side by side where they are neighbours in memory. */
#define LANES 8

/* LANES neighbouring columns of one row. */
NACRE_CODE
static void wide(const float *x, const float *z, float *y, const nacre_matmul_shape_t *p)
{
    float sums[LANES] = {0.0f};
    for (int32_t k = 0; k < p->depth; ++k) {
        const float left = *x;
        for (int32_t c = 0; c < LANES; ++c) {
            sums[c] += left * z[c];
        }
        x += p->x_depth_step;
        z += p->z_depth_step;
    }
    for (int32_t c = 0; c < LANES; ++c) {
        y[c] = sums[c];
    }
}

NACRE_CODE
static float single(const float *x, const float *z, const nacre_matmul_shape_t *p)
{
    float sum = 0.0f;
    for (int32_t k = 0; k < p->depth; ++k) {
        sum += x[k * p->x_depth_step] * z[k * p->z_depth_step];
    }
    return sum;
}

NACRE_CODE
void nacre_batch_matmul_f32(const float *x, const float *z, float *y,
                            const nacre_matmul_shape_t *p)
{
    for (int32_t batch = 0; batch < nacre_matmul_batches(p); ++batch) {
        const nacre_matmul_batch_t at = nacre_matmul_batch(p, batch);
        for (int32_t row = 0; row < p->rows; ++row) {
            const float *const left = x + at.x + row * p->x_row_step;
            int32_t c = 0;
            for (; p->z_column_step == 1 && c + LANES <= p->columns; c += LANES) {
                wide(left, z + at.z + c, y + c, p);
            }
            for (; c < p->columns; ++c) {
                y[c] = single(left, z + at.z + c * p->z_column_step, p);
            }
            y += p->columns;
        }
    }
}
