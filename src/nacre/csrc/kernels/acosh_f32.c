/* SPDX-License-Identifier: Apache-2.0 */
/* Inverse hyperbolic cosine of float32 values. */
#include "nacre_unary.h"

#include <math.h>

NACRE_CODE
void nacre_acosh_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows)
{
    NACRE_UNARY(float, float, acoshf(x))
}
