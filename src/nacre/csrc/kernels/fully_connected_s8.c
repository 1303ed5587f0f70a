/* SPDX-License-Identifier: Apache-2.0 */
/* int8 fully connected layer, four outputs at a time. */
#include "nacre_fully_connected.h"
#include "nacre_dot_s8.h"
#include "nacre_requant.h"

NACRE_CODE
static int8_t finish(int32_t acc, int32_t multiplier, int32_t shift,
                     const nacre_fully_connected_params_t *p)
{
    const int32_t scaled = nacre_rescale(acc, multiplier, shift);
    return (int8_t)nacre_clamp_offset(scaled, p->output_offset, p->activation_min,
                                      p->activation_max);
}

/* weights_offset * sum (x[i] + input_offset). */
NACRE_CODE
static int32_t offset_of_row(const int8_t *x, const nacre_fully_connected_params_t *p)
{
    const int32_t sum = nacre_sum_s8(x, p->inputs) + p->inputs * p->input_offset;
    return p->weights_offset * sum;
}

NACRE_CODE
void nacre_fully_connected_s8(const int8_t *input, const int8_t *weights, const int32_t *bias,
                              const int32_t *requant, int8_t *output,
                              const nacre_fully_connected_params_t *p)
{
    const int32_t step = p->scale_step;
    const int32_t *const shift = requant + (step != 0 ? p->outputs : 1);
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        const int8_t *w = weights;
        const int32_t offset = p->weights_offset != 0 ? offset_of_row(input, p) : 0;
        int32_t o = 0;
        for (; o + 4 <= p->outputs; o += 4) {
            int32_t acc[4] = {
                nacre_add_wrapping(bias[o], offset), nacre_add_wrapping(bias[o + 1], offset),
                nacre_add_wrapping(bias[o + 2], offset), nacre_add_wrapping(bias[o + 3], offset)};
            nacre_dot4_offset_s8(input, p->input_offset, w, (size_t)p->inputs, p->inputs, acc);
            w += 4 * p->inputs;
            for (int32_t j = 0; j < 4; ++j) {
                const int32_t scale = (o + j) * step;
                output[o + j] = finish(acc[j], requant[scale], shift[scale], p);
            }
        }
        for (; o < p->outputs; ++o) {
            const int32_t dot = nacre_dot_offset_s8(input, p->input_offset, w, p->inputs);
            const int32_t acc = nacre_add_wrapping(nacre_add_wrapping(bias[o], offset), dot);
            output[o] = finish(acc, requant[o * step], shift[o * step], p);
            w += p->inputs;
        }
        input += p->inputs;
        output += p->outputs;
    }
}
