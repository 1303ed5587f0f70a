/* SPDX-License-Identifier: Apache-2.0 */
/* int8 from float, with the scale that the values need. */
#include "nacre_hybrid_quantize.h"
#include "nacre_hybrid.h"

NACRE_CODE
void nacre_hybrid_quantize_f32(const float *x, int8_t *q, float *range, int32_t count,
                               int32_t asymmetric)
{
    const nacre_hybrid_row_t row = asymmetric != 0 ? nacre_hybrid_asymmetric(x, count, q)
                                                   : nacre_hybrid_symmetric(x, count, q);
    range[0] = row.scale;
    range[1] = (float)row.zero_point;
}
