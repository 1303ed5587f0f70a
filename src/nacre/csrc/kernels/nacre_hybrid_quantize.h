/* SPDX-License-Identifier: Apache-2.0 */
/* Quantization of a float tensor at run time, for layers with float values and int8 weights. */
#ifndef NACRE_HYBRID_QUANTIZE_H
#define NACRE_HYBRID_QUANTIZE_H

#include "nacre_kernel.h"

/* x[i] = range[0] * (q[i] - range[1]), range[1] a whole number; it is 0 unless asymmetric. The
 * arrays must not overlap. */
void nacre_hybrid_quantize_f32(const float *x, int8_t *q, float *range, int32_t count,
                               int32_t asymmetric);

#endif
