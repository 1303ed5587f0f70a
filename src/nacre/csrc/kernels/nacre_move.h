/* SPDX-License-Identifier: Apache-2.0 */
/* Moving bytes: copies, strided moves, rows. Element types do not matter: strides, runs and
 * offsets count bytes, and no alignment is asked for. Input and output do not overlap unless a
 * function says so.
 */
#ifndef NACRE_MOVE_H
#define NACRE_MOVE_H

#include <string.h>

#include "nacre_kernel.h"

/* A nest of loops, outermost first: for all i < dims,
 * output[sum i[d] * output_strides[d] ...+run] = input[sum i[d] * input_strides[d] ...+run].
 * Strides may be zero (repeat) or negative (backwards; the pointer is then the first piece). */
typedef struct {
    int32_t dims[6];
    int32_t input_strides[6];
    int32_t output_strides[6];
    int32_t run;
} nacre_move_params_t;

/* Rows of `pieces` runs: for each output row r of [rows.begin, rows.end) that is in
 * [output_begin, output_end),
 * output row r [j * output_pitch ...+run] = input row (first_row + r * row_step) [j * input_pitch
 * ...+run]. Rows live in rings of input_ring and output_ring rows of input_row, output_row bytes.
 * Bytes of the output between the runs are left alone. */
typedef struct {
    int32_t first_row;
    int32_t row_step;
    int32_t pieces;
    int32_t run;
    int32_t input_pitch;
    int32_t output_pitch;
    int32_t input_row;
    int32_t output_row;
    int32_t output_begin;
    int32_t output_end;
    int32_t input_ring;
    int32_t output_ring;
} nacre_move_rows_params_t;

/* Where the outer four loops of a move stand. */
typedef struct {
    ptrdiff_t input;
    ptrdiff_t output;
    int32_t index[4];
} nacre_move_cursor_t;

/* Steps the outer four loops; 0 when they are done. */
NACRE_CODE
static inline int32_t nacre_move_next(nacre_move_cursor_t *at, const nacre_move_params_t *p)
{
    for (int32_t d = 3; d >= 0; --d) {
        at->input += p->input_strides[d];
        at->output += p->output_strides[d];
        if (++at->index[d] < p->dims[d]) {
            return 1;
        }
        at->input -= (ptrdiff_t)p->dims[d] * p->input_strides[d];
        at->output -= (ptrdiff_t)p->dims[d] * p->output_strides[d];
        at->index[d] = 0;
    }
    return 0;
}

/* memcpy that does not pay for a call when there are a few bytes only. */
NACRE_CODE
static inline void nacre_copy_run(uint8_t *output, const uint8_t *input, int32_t run)
{
    if (run >= 8) {
        memcpy(output, input, (size_t)run);
        return;
    }
    for (int32_t i = 0; i < run; ++i) {
        output[i] = input[i];
    }
}

/* output[0, bytes) = input[0, bytes). The two may overlap. */
void nacre_copy(const void *input, void *output, int32_t bytes);

/* The nest above for any run. */
void nacre_move(const void *input, void *output, const nacre_move_params_t *p);

/* The nest above for runs of 1, 2, 4 and 8 bytes. */
void nacre_move_1(const void *input, void *output, const nacre_move_params_t *p);
void nacre_move_2(const void *input, void *output, const nacre_move_params_t *p);
void nacre_move_4(const void *input, void *output, const nacre_move_params_t *p);
void nacre_move_8(const void *input, void *output, const nacre_move_params_t *p);

/* The rows above, in order. */
void nacre_move_rows(const void *input, void *output, const nacre_move_rows_params_t *p,
                     nacre_rows_t rows);

#endif
