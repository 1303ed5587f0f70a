/* SPDX-License-Identifier: Apache-2.0 */
/* Opposite of truth values. */
#include "nacre_unary.h"

NACRE_CODE
void nacre_logical_not_bool(const uint8_t *input, uint8_t *output, const nacre_each_t *shape,
                            nacre_rows_t rows)
{
    NACRE_UNARY(uint8_t, uint8_t, x == 0)
}
