/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of softmax and other kernels whose rows are vectors. */
#include "../kernels/nacre_elementwise.h"
#include "../kernels/nacre_l2_normalization.h"
#include "../kernels/nacre_log_softmax.h"
#include "../kernels/nacre_softmax.h"
#include "nacre_checks.h"

/* Sums of so many values of 16 bits fit an int32_t. */
enum { DEEPEST = 1 << 15 };

static int32_t rows_of_vectors(nacre_check_t *c, int32_t depth)
{
    const nacre_each_t *const p = (const nacre_each_t *)c->p[0];
    return nacre_check_each(c) && depth >= 1 && p->row % depth == 0;
}

int32_t nacre_check_vectors(nacre_check_t *c) { return rows_of_vectors(c, c->number[0]); }

int32_t nacre_check_softmax(nacre_check_t *c)
{
    const nacre_softmax_params_t *const p = (const nacre_softmax_params_t *)c->p[1];
    c->need[2] = p->entries;
    return rows_of_vectors(c, p->depth) && p->entries >= 1;
}

/* The exponential of distance 0, which every sum has, counts; none is negative. */
int32_t nacre_check_softmax_tables(nacre_check_t *c)
{
    const nacre_softmax_params_t *const p = (const nacre_softmax_params_t *)c->p[1];
    const int32_t *const table = (const int32_t *)c->content[2];
    return table != NULL && table[0] >= 1 << 12 &&
           nacre_all_between(table, p->entries, 0, INT32_MAX);
}

int32_t nacre_check_softmax_s16(nacre_check_t *c)
{
    const nacre_softmax_wide_params_t *const p = (const nacre_softmax_wide_params_t *)c->p[1];
    c->need[2] = 513;
    c->need[3] = 513;
    return rows_of_vectors(c, p->depth) && p->depth <= DEEPEST && nacre_shift_fits(p->shift);
}

static int32_t not_negative(const int16_t *table)
{
    for (int32_t i = 0; table != NULL && i < 513; ++i) {
        if (table[i] < 0) {
            return 0;
        }
    }
    return table != NULL;
}

int32_t nacre_check_softmax_s16_tables(nacre_check_t *c)
{
    const int16_t *const powers = (const int16_t *)c->content[2];
    return not_negative(powers) && powers[511] >= 2 && powers[512] >= 2 &&
           not_negative((const int16_t *)c->content[3]);
}

int32_t nacre_check_softmax_f32(nacre_check_t *c)
{
    const nacre_softmax_float_params_t *const p = (const nacre_softmax_float_params_t *)c->p[1];
    return rows_of_vectors(c, p->depth);
}

int32_t nacre_check_log_softmax_s8(nacre_check_t *c)
{
    const nacre_log_softmax_params_t *const p = (const nacre_log_softmax_params_t *)c->p[1];
    c->need[2] = p->entries;
    return rows_of_vectors(c, p->depth) && p->entries >= 1 && nacre_shift_fits(p->shift) &&
           nacre_shift_fits(p->reverse_shift);
}

int32_t nacre_check_l2_normalization(nacre_check_t *c)
{
    const nacre_l2_normalization_params_t *const p =
        (const nacre_l2_normalization_params_t *)c->p[1];
    return rows_of_vectors(c, p->depth) && nacre_between(p->input_offset, -255, 255);
}
