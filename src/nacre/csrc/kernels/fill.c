/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a tensor with one value. */
#include "nacre_fill.h"

NACRE_CODE
void nacre_fill(void *output, const nacre_fill_params_t *p)
{
    nacre_fill_bytes((uint8_t *)output, p->bytes, p->element, p->value);
}
