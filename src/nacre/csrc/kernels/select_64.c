/* SPDX-License-Identifier: Apache-2.0 */
/* One of two 64-bit values by a condition. */
#include "nacre_select.h"

NACRE_CODE
void nacre_select_64(const uint8_t *condition, const int64_t *then, const int64_t *otherwise,
                     int64_t *output, const nacre_select_params_t *p, nacre_rows_t rows)
{
    for (nacre_select_walk_t walk = nacre_select_row(p, rows.begin); walk.row < rows.end;
         nacre_select_next(&walk, p, rows.end)) {
        const uint8_t *c = condition + walk.input[0];
        const int64_t *a = then + walk.input[1];
        const int64_t *b = otherwise + walk.input[2];
        int64_t *const y = output + walk.output;
        for (int32_t i = 0; i < p->run; ++i) {
            y[i] = *c != 0 ? *a : *b;
            c += p->steps[0];
            a += p->steps[1];
            b += p->steps[2];
        }
    }
}
