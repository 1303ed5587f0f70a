/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing by the nearest pixel, for pixels of any size. */
#include "nacre_resize.h"

#include <string.h>

NACRE_CODE
void nacre_resize_nearest(const uint8_t *input, const int16_t *positions, uint8_t *output,
                          const nacre_resize_nearest_params_t *p, nacre_rows_t rows)
{
    const int16_t *lines = positions + p->output_w;
    const size_t pixel = (size_t)p->pixel;
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const uint8_t *x = input + (size_t)((lines[oy] % p->input_ring) * p->input_w) * pixel;
        uint8_t *y = output + (size_t)((oy % p->output_ring) * p->output_w) * pixel;
        for (int32_t ox = 0; ox < p->output_w; ++ox) {
            memcpy(y, x + (size_t)positions[ox] * pixel, pixel);
            y += pixel;
        }
    }
}
