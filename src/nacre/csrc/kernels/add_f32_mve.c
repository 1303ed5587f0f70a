/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of float32 tensors of one shape on Helium. */
#include "nacre_f32_mve.h"

#define VECTOR(a, b) vaddq_f32(a, b)
#include "nacre_binary_f32_mve_body.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)

NACRE_CODE
void nacre_add_f32_mve(const float *first, const float *second, float *output,
                       const nacre_broadcast_t *shape, const nacre_range_f32_t *p,
                       nacre_rows_t rows)
{
    combine_rows(first, second, output, shape, p, rows);
}

#endif
