/* SPDX-License-Identifier: Apache-2.0 */
/* float32 values rounded to the nearest. */
#include "nacre_unary.h"

#include <math.h>

NACRE_CODE
static inline float round_to_even(float x)
{
    const float low = floorf(x);
    const float rest = x - low;
    const float even = 2.0f * floorf(low * 0.5f) == low ? low : low + 1.0f;
    return rest < 0.5f ? low : rest > 0.5f ? low + 1.0f : even;
}

NACRE_CODE
void nacre_round_f32(const float *input, float *output, const nacre_each_t *shape,
                     nacre_rows_t rows)
{
    NACRE_UNARY(float, float, round_to_even(x))
}
