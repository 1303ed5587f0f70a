/* SPDX-License-Identifier: Apache-2.0 */
/* Sum of int16 tensors whose larger scale comes first. */
#include "nacre_add.h"

NACRE_CODE
void nacre_add_s16(const int16_t *first, const int16_t *second, int16_t *output,
                   const nacre_broadcast_t *shape, const nacre_add_params_t *p, nacre_rows_t rows)
{
    const nacre_add_t add = nacre_add_setup(p);
    const int32_t first_step = shape->first_step;
    const int32_t second_step = shape->second_step;
    NACRE_FOR_EACH_RUN(walk)
    {
        const int16_t *a = first + walk.first;
        const int16_t *b = second + walk.second;
        int16_t *y = output + walk.output;
        int32_t left = shape->run;
        if (first_step == 1 && second_step == 1) {
            for (; left >= 4; left -= 4) {
                y[0] = (int16_t)nacre_add_one(a[0], b[0], &add);
                y[1] = (int16_t)nacre_add_one(a[1], b[1], &add);
                y[2] = (int16_t)nacre_add_one(a[2], b[2], &add);
                y[3] = (int16_t)nacre_add_one(a[3], b[3], &add);
                a += 4;
                b += 4;
                y += 4;
            }
        }
        for (; left > 0; --left) {
            *y++ = (int16_t)nacre_add_one(*a, *b, &add);
            a += first_step;
            b += second_step;
        }
    }
}
