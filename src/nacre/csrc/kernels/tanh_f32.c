/* SPDX-License-Identifier: Apache-2.0 */
/* float hyperbolic tangent. */
#include <math.h>

#include "nacre_sigmoid.h"

NACRE_CODE
void nacre_tanh_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows)
{
    NACRE_UNARY(float, float, tanhf(x))
}
