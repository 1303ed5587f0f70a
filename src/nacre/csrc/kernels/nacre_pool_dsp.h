/* SPDX-License-Identifier: Apache-2.0 */
/* int8 pools for cores with the DSP extension, four channels at a time: same results as the
 * portable kernels (nacre_pool.h), bit for bit. channels >= 4; averages of at most 255 taps. */
#ifndef NACRE_POOL_DSP_H
#define NACRE_POOL_DSP_H

#include "nacre_pool.h"

void nacre_average_pool2d_s8_dsp(const int8_t *input, int8_t *output,
                                 const nacre_pool2d_params_t *p, nacre_rows_t rows);
void nacre_max_pool2d_s8_dsp(const int8_t *input, int8_t *output, const nacre_pool2d_params_t *p,
                             nacre_rows_t rows);

#endif
