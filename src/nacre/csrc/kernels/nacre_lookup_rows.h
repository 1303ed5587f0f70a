/* SPDX-License-Identifier: Apache-2.0 */
/* Moves rows of bytes through a table. */
#ifndef NACRE_LOOKUP_ROWS_H
#define NACRE_LOOKUP_ROWS_H

#include "nacre_move.h"

/* As nacre_move_rows, but each byte b becomes table[b], b counted from 0 to 255. */
void nacre_lookup_rows(const void *input, const uint8_t *table, void *output,
                       const nacre_move_rows_params_t *p, nacre_rows_t rows);

#endif
