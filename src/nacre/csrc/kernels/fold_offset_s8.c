/* SPDX-License-Identifier: Apache-2.0 */
/* Bias with the input's zero point folded in, for weights that are not known before. */
#include "nacre_fully_connected.h"
#include "nacre_dot_s8.h"

void nacre_fold_offset_s8(const int8_t *weights, const int32_t *bias, int32_t *folded,
                          const nacre_fold_offset_params_t *p)
{
    for (int32_t o = 0; o < p->outputs; ++o) {
        const int32_t sum = nacre_sum_s8(weights, p->inputs) + p->inputs * p->weights_offset;
        folded[o] = bias[o] + p->input_offset * sum;
        weights += p->inputs;
    }
}
