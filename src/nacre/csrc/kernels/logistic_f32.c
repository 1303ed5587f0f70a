/* SPDX-License-Identifier: Apache-2.0 */
/* float logistic function. */
#include <math.h>

#include "nacre_sigmoid.h"

NACRE_CODE
void nacre_logistic_f32(const float *input, float *output, const nacre_each_t *shape,
                        nacre_rows_t rows)
{
    NACRE_UNARY(float, float, x < -9.0f ? expf(x) : 1.0f / (1.0f + expf(-x)))
}
