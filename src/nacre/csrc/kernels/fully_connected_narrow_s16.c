/* SPDX-License-Identifier: Apache-2.0 */
/* int16 fully connected layer with int8 weights and 32-bit sums. */
#include "nacre_fully_connected.h"
#include "nacre_dot_s16.h"
#include "nacre_requant.h"

NACRE_CODE
void nacre_fully_connected_narrow_s16(const int16_t *input, const int8_t *weights,
                                      const int32_t *bias, const int32_t *requant, int16_t *output,
                                      const nacre_fully_connected_params_t *p)
{
    const int32_t step = p->scale_step;
    const int32_t *const shift = requant + (step != 0 ? p->outputs : 1);
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const int8_t *w = weights;
        for (int32_t o = 0; o < p->outputs; ++o) {
            const int64_t sum = bias[o] + nacre_dot_long_s16(input, w, p->inputs);
            const int32_t acc = (int32_t)(uint32_t)(uint64_t)sum;
            const int32_t y = nacre_requantize(acc, requant[o * step], shift[o * step]);
            output[o] = (int16_t)nacre_clamp(y, p->activation_min, p->activation_max);
            w += p->inputs;
        }
        input += p->inputs;
        output += p->outputs;
    }
}
