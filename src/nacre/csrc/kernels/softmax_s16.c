/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of int16 to int16, by interpolation in two tables. */
#include "nacre_softmax.h"
#include "nacre_reciprocal.h"

/* table at x, which covers its 512 intervals from -32768 to 32767. */
NACRE_CODE
static int32_t interpolate(const int16_t *table, int32_t x)
{
    const int16_t *const base = table + 256 + (x >> 7);
    return base[0] + (((base[1] - base[0]) * (x & 127) + 64) >> 7);
}

NACRE_CODE
static int32_t exponential(int32_t difference, const int16_t *table,
                           const nacre_softmax_wide_params_t *p)
{
    const int32_t scaled = nacre_requantize(difference, p->multiplier, p->shift);
    return interpolate(table, nacre_clamp(scaled, INT16_MIN - 32767, 0) + 32767);
}

NACRE_CODE
static void one_vector(const int16_t *x, int16_t *y, const int16_t *exponentials,
                       const int16_t *reciprocals, const nacre_softmax_wide_params_t *p)
{
    int32_t largest = x[0];
    for (int32_t c = 1; c < p->depth; ++c) {
        largest = nacre_max(largest, x[c]);
    }
    int32_t sum = 0;
    for (int32_t c = 0; c < p->depth; ++c) {
        const int32_t power = exponential(x[c] - largest, exponentials, p);
        y[c] = (int16_t)power;
        sum += power;
    }
    const int32_t headroom = nacre_leading_zeros((uint32_t)sum);
    const int32_t fraction = (int32_t)((((int64_t)sum << (headroom - 1)) + (1 << 13)) >> 14);
    const int32_t reciprocal =
        interpolate(reciprocals, nacre_clamp(fraction - 98304, INT16_MIN, INT16_MAX));
    const int32_t shift = 31 - headroom;
    for (int32_t c = 0; c < p->depth; ++c) {
        const int32_t share = (y[c] * reciprocal + (1 << (shift - 1))) >> shift;
        y[c] = (int16_t)nacre_clamp(share, 0, INT16_MAX);
    }
}

NACRE_CODE
void nacre_softmax_s16(const int16_t *input, int16_t *output, const nacre_each_t *shape,
                       const int16_t *exponentials, const int16_t *reciprocals,
                       const nacre_softmax_wide_params_t *p, nacre_rows_t rows)
{
    for (int32_t r = rows.begin; r < rows.end; ++r) {
        const int16_t *from = input + (r % shape->input_ring) * shape->row;
        int16_t *to = output + (r % shape->output_ring) * shape->row;
        for (int32_t i = 0; i < shape->row; i += p->depth) {
            one_vector(from + i, to + i, exponentials, reciprocals, p);
        }
    }
}
