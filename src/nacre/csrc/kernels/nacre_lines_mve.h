/* SPDX-License-Identifier: Apache-2.0 */
/* The input rows under one row of outputs, copied with their padding, so that no tap needs a test.
 *
 *   row    | pad_left | input_w | as far as the last output and three more read | 16 bytes |
 *   slot   input row modulo the rows that a window spans; a new output row replaces the oldest
 */
#ifndef NACRE_LINES_MVE_H
#define NACRE_LINES_MVE_H

#include "nacre_conv2d_mve.h"
#include "nacre_mve.h"

typedef struct {
    const nacre_conv_mve_params_t *p;
    const int8_t *input;
    int8_t *slots;
    /* Rows that a window spans, bytes of a slot, the next input row to copy. */
    int32_t span;
    int32_t pitch;
    int32_t next;
    /* The slots of the kernel's rows. */
    const int8_t *row[NACRE_CONV_MVE_ROWS];
} nacre_lines_t;

/* Bytes of a slot. */
NACRE_CODE
static inline int32_t nacre_line_pitch(const nacre_conv_mve_params_t *p)
{
    const int32_t columns =
        (p->output_w + 2) * p->stride_w + (p->kernel_w - 1) * p->dilation_w + 1;
    return (columns * p->input_c + 31) / 16 * 16;
}

NACRE_CODE
static inline nacre_lines_t nacre_lines_mve(const nacre_conv_mve_params_t *p, const int8_t *input,
                                            int8_t *slots)
{
    nacre_lines_t lines;
    lines.p = p;
    lines.input = input;
    lines.slots = slots;
    lines.span = (p->kernel_h - 1) * p->dilation_h + 1;
    lines.pitch = nacre_line_pitch(p);
    lines.next = INT32_MIN;
    return lines;
}

NACRE_CODE
static inline int8_t *nacre_line_slot(const nacre_lines_t *lines, int32_t iy)
{
    return lines->slots + (iy + lines->p->pad_top) % lines->span * lines->pitch;
}

/* One input row, or padding. */
NACRE_CODE
static NACRE_APART NACRE_AROUND void nacre_copy_line_mve(const nacre_lines_t *lines, int32_t iy)
{
    const nacre_conv_mve_params_t *p = lines->p;
    int8_t *const to = nacre_line_slot(lines, iy);
    const int32_t left = p->pad_left * p->input_c;
    const int32_t row = p->input_w * p->input_c;
    if (iy < 0 || iy >= p->input_h) {
        nacre_fill_mve(to, p->pad_value, lines->pitch);
        return;
    }
    const int32_t length = nacre_min(row, lines->pitch - left);
    nacre_fill_mve(to, p->pad_value, left);
    nacre_copy_mve(to + left, lines->input + nacre_ring_row(iy, p->input_ring) * row, length);
    nacre_fill_mve(to + left + length, p->pad_value, lines->pitch - left - length);
}

/* Make `row` hold the input rows of output row oy. Calls go up in oy. */
NACRE_CODE
static NACRE_AROUND void nacre_find_lines_mve(nacre_lines_t *lines, int32_t oy)
{
    const nacre_conv_mve_params_t *p = lines->p;
    const int32_t first = oy * p->stride_h - p->pad_top;
    for (int32_t iy = nacre_max(first, lines->next); iy < first + lines->span; ++iy) {
        nacre_copy_line_mve(lines, iy);
    }
    lines->next = first + lines->span;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        lines->row[ky] = nacre_line_slot(lines, first + ky * p->dilation_h);
    }
}

#endif
