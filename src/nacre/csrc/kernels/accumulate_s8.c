/* SPDX-License-Identifier: Apache-2.0 */
/* Adds quantized int8 values to sums of a common scale. */
#include "nacre_add_n.h"

NACRE_CODE
void nacre_accumulate_s8(const int8_t *input, int32_t *sum, const nacre_each_t *shape,
                         const nacre_accumulate_params_t *p, nacre_rows_t rows)
{
    for (int32_t r = rows.begin; r < rows.end; ++r) {
        const int8_t *const x = input + (r % shape->input_ring) * shape->row;
        int32_t *const y = sum + (r % shape->output_ring) * shape->row;
        for (int32_t i = 0; i < shape->row; ++i) {
            const int32_t centred = (x[i] + p->input_offset) * (1 << 20);
            const int32_t scaled = nacre_requantize(centred, p->multiplier, p->shift);
            y[i] = nacre_add_wrapping(p->keep != 0 ? y[i] : 0, scaled);
        }
    }
}
