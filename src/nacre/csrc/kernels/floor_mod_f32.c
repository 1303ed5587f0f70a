/* SPDX-License-Identifier: Apache-2.0 */
/* Remainder of float32 values with the sign of the divisor. */
#include "nacre_binary.h"

#include <math.h>

NACRE_CODE
static inline float floor_mod(float a, float b)
{
    const float rest = fmodf(a, b);
    return rest != 0.0f && (rest < 0.0f) != (b < 0.0f) ? rest + b : rest;
}

NACRE_CODE
void nacre_floor_mod_f32(const float *first, const float *second, float *output,
                         const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY_COMPACT(float, float, float, floor_mod(a, b))
}
