/* SPDX-License-Identifier: Apache-2.0 */
/* float logistic function. */
#include <math.h>

#include "nacre_sigmoid.h"

void nacre_logistic_f32(const float *input, float *output, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        const float x = input[i];
        output[i] = x < -9.0f ? expf(x) : 1.0f / (1.0f + expf(-x));
    }
}
