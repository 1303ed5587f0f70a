/* SPDX-License-Identifier: Apache-2.0 */
/* float hyperbolic tangent. */
#include <math.h>

#include "nacre_sigmoid.h"

void nacre_tanh_f32(const float *input, float *output, int32_t count)
{
    for (int32_t i = 0; i < count; ++i) {
        output[i] = tanhf(input[i]);
    }
}
