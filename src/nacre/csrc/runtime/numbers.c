/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic of the checks: what does not fit an int32_t is NACRE_BAD. */
#include "../kernels/nacre_requant.h"
#include "nacre_check.h"

static int64_t fitting(int64_t x) { return x < 0 || x > INT32_MAX ? NACRE_BAD : x; }

int64_t nacre_times(int64_t a, int64_t b)
{
    return fitting(a) < 0 || fitting(b) < 0 ? NACRE_BAD : fitting(a * b);
}

int64_t nacre_plus(int64_t a, int64_t b)
{
    return fitting(a) < 0 || fitting(b) < 0 ? NACRE_BAD : fitting(a + b);
}

int64_t nacre_times3(int64_t a, int64_t b, int64_t c) { return nacre_times(nacre_times(a, b), c); }

int64_t nacre_times4(int64_t a, int64_t b, int64_t c, int64_t d)
{
    return nacre_times(nacre_times3(a, b, c), d);
}

int64_t nacre_kept(int32_t ring, int64_t rows)
{
    return ring < 1 || rows < 0 ? NACRE_BAD : rows < ring ? rows : ring;
}

int64_t nacre_span(int64_t count, int64_t step, int64_t size)
{
    /* A step more than there are pieces is where walks turn back: it must not overflow either. */
    if (count < 0 || step > NACRE_FAR || nacre_times(count, step) < 0) {
        return NACRE_BAD;
    }
    return count == 0 ? 0 : nacre_plus(nacre_times(count - 1, step), size);
}

int32_t nacre_between(int64_t x, int64_t low, int64_t high) { return x >= low && x <= high; }

int32_t nacre_all_between(const int32_t *x, int32_t n, int32_t low, int32_t high)
{
    for (int32_t i = 0; i < n; ++i) {
        if (x[i] < low || x[i] > high) {
            return 0;
        }
    }
    return 1;
}

int32_t nacre_shift_fits(int32_t shift) { return nacre_between(shift, NACRE_LEAST_SHIFT, 30); }

int32_t nacre_scale_fits(int32_t shift) { return nacre_shift_fits(nacre_plain_shift(shift)); }

int32_t nacre_scales_fit(const int32_t *shift, int32_t n)
{
    for (int32_t i = 0; i < n; ++i) {
        if (!nacre_scale_fits(shift[i]) ||
            nacre_rounds_once(shift[i]) != nacre_rounds_once(shift[0])) {
            return 0;
        }
    }
    return 1;
}

int32_t nacre_small(int32_t x) { return nacre_between(x, -65536, 65536); }

int32_t nacre_biases_fit(const nacre_check_t *c, int32_t pointer, int32_t count)
{
    const int64_t *const biases = (const int64_t *)c->content[pointer];
    const int64_t limit = INT64_C(1) << 46;
    for (int32_t i = 0; biases != NULL && i < count; ++i) {
        if (biases[i] < -limit || biases[i] > limit) {
            return 0;
        }
    }
    return biases != NULL;
}

int32_t nacre_index_size(int32_t bytes) { return bytes == 2 || bytes == 4 || bytes == 8; }

int32_t nacre_element_size(int32_t bytes) { return bytes == 1 || nacre_index_size(bytes); }

int32_t nacre_apart(const nacre_check_t *c, int32_t a, int64_t a_at, int64_t a_size, int32_t b,
                    int64_t b_at, int64_t b_size)
{
    const uint32_t mask = (UINT32_C(1) << NACRE_OFFSET_BITS) - 1u;
    const int64_t a_begin = (int64_t)(c->place[a] & mask) + a_at;
    const int64_t b_begin = (int64_t)(c->place[b] & mask) + b_at;
    return (c->place[a] >> NACRE_OFFSET_BITS) != (c->place[b] >> NACRE_OFFSET_BITS) ||
           a_size == 0 || b_size == 0 || a_begin + a_size <= b_begin || b_begin + b_size <= a_begin;
}
