/* SPDX-License-Identifier: Apache-2.0 */
/* A plain copy. */
#include "nacre_move.h"

NACRE_CODE
void nacre_copy(const void *input, void *output, int32_t bytes)
{
    memmove(output, input, (size_t)bytes);
}
