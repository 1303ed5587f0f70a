/* SPDX-License-Identifier: Apache-2.0 */
/* int8 sum and product for cores with the DSP extension: same results as nacre_add_s8 and
 * nacre_mul_s8, bit for bit, in the order of nacre_elementwise.h.
 *
 * add: the parameters of nacre_add_s8.
 * mul: those of nacre_mul_s8, -23 <= output_shift <= 0, or -22 where it is rounded once.
 */
#ifndef NACRE_ELEMENTWISE_DSP_H
#define NACRE_ELEMENTWISE_DSP_H

#include "nacre_add.h"
#include "nacre_mul.h"

void nacre_add_s8_dsp(const int8_t *first, const int8_t *second, int8_t *output,
                      const nacre_broadcast_t *shape, const nacre_add_params_t *p,
                      nacre_rows_t rows);
void nacre_mul_s8_dsp(const int8_t *first, const int8_t *second, int8_t *output,
                      const nacre_broadcast_t *shape, const nacre_mul_params_t *p,
                      nacre_rows_t rows);

#endif
