/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax of int8 rows to int16. */
#include "nacre_softmax.h"
#include "nacre_softmax_8.h"

void nacre_softmax_s8_s16(const int8_t *input, const int32_t *exponentials, int16_t *output,
                      const nacre_softmax_params_t *p)
{
    for (int32_t row = 0; row < p->rows; ++row) {
        int32_t largest = input[0];
        for (int32_t c = 1; c < p->depth; ++c) {
            largest = nacre_max(largest, input[c]);
        }
        int32_t sum = 0;
        for (int32_t c = 0; c < p->depth; ++c) {
            const int32_t distance = largest - input[c];
            sum += distance < p->entries ? nacre_softmax_summand(exponentials[distance]) : 0;
        }
        const nacre_softmax_scale_t scale = nacre_softmax_scale(sum, 16);
        for (int32_t c = 0; c < p->depth; ++c) {
            const int32_t distance = largest - input[c];
            const int32_t share =
                distance < p->entries ? nacre_softmax_share(exponentials[distance], scale) : 0;
            output[c] = (int16_t)nacre_min(share - 32768, INT16_MAX);
        }
        input += p->depth;
        output += p->depth;
    }
}
