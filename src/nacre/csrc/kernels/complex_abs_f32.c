/* SPDX-License-Identifier: Apache-2.0 */
/* Magnitude of complex numbers. */
#include "nacre_fft.h"

#include <math.h>

NACRE_CODE
void nacre_complex_abs_f32(const float *input, float *output, const nacre_complex_params_t *p)
{
    for (int32_t i = 0; i < p->count; ++i) {
        output[i] = sqrtf(input[2 * i] * input[2 * i] + input[2 * i + 1] * input[2 * i + 1]);
    }
}
