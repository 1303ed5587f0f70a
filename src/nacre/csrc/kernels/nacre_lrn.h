/* SPDX-License-Identifier: Apache-2.0 */
/* Local response normalisation.
 *
 *   y[c] = x[c] * (bias + alpha * sum of x[i]^2 for c - radius <= i < c + radius) ^ -beta
 * per pixel; i is cut to the channels. radius <= channels. Input and output do not overlap.
 * No scratch.
 */
#ifndef NACRE_LRN_H
#define NACRE_LRN_H

#include "nacre_kernel.h"

typedef struct {
    int32_t pixels;
    int32_t channels;
    int32_t radius;
    float bias;
    float alpha;
    float beta;
} nacre_lrn_params_t;

void nacre_lrn_f32(const float *input, float *output, const nacre_lrn_params_t *p);

#endif
