/* SPDX-License-Identifier: Apache-2.0 */
/* Power of float32 values. */
#include "nacre_binary.h"

#include <math.h>

NACRE_CODE
void nacre_pow_f32(const float *first, const float *second, float *output,
                   const nacre_broadcast_t *shape, nacre_rows_t rows)
{
    NACRE_BINARY_COMPACT(float, float, float, powf(a, b))
}
