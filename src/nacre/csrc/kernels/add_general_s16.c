/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of int16 tensors of any scales. */
#include "nacre_add.h"

NACRE_CODE
void nacre_add_general_s16(const int16_t *first, const int16_t *second, int16_t *output,
                           const nacre_broadcast_t *shape, const nacre_add_general_params_t *p,
                           nacre_rows_t rows)
{
    const nacre_add_general_params_t local = *p;
    NACRE_BINARY_COMPACT(int16_t, int16_t, int16_t, nacre_add_general(a, b, &local))
}
