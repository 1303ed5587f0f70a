/* SPDX-License-Identifier: Apache-2.0 */
/* Sum or difference of int8 tensors of any scales. */
#include "nacre_add.h"

NACRE_CODE
void nacre_add_general_s8(const int8_t *first, const int8_t *second, int8_t *output,
                          const nacre_broadcast_t *shape, const nacre_add_general_params_t *p,
                          nacre_rows_t rows)
{
    const nacre_add_general_params_t local = *p;
    NACRE_BINARY_COMPACT(int8_t, int8_t, int8_t, nacre_add_general(a, b, &local))
}
