/* SPDX-License-Identifier: Apache-2.0 */
/* The 3x3 depthwise convolution with Helium: channels are spread into planes, then convolved.
 *
 * The including file defines STRIDE, TURN (patches of a turn), WIDE (outputs of a patch, across and
 * down), ACROSS(lane) and DOWN(lane) (where an output of a turn is), INDEX and run_plane.
 * A plane lies as the image does, or on its side: the longer way is across.
 */
#ifndef NACRE_DEPTHWISE_BODY_MVE_H
#define NACRE_DEPTHWISE_BODY_MVE_H

#include "nacre_depthwise_mve.h"
#include "nacre_mve.h"
#include "nacre_plane_mve.h"
#include "nacre_spread_mve.h"

enum { LANES = 8 };

/* One direction of the image, in elements of the plane: how many inputs are read, after how much
 * padding, and the bytes from one to the next; how many outputs, and the bytes between them. */
typedef struct {
    int32_t inputs;
    int32_t pad;
    int32_t input_step;
    int32_t outputs;
    int32_t output_step;
} axis_t;

/* A window of the image as planes. */
typedef struct {
    const int8_t *input;
    /* The ring that rows of the plane are read from, and the first row; no ring for columns. */
    int32_t ring;
    int32_t first;
    int8_t *planes;
    int32_t plane_size;
    axis_t across;
    axis_t down;
    /* Channels that are spread together. */
    int32_t group;
    nacre_spread_t spread;
} window_t;

/* Where element i of a row is in a row of blocks. */
NACRE_CODE
static inline int32_t in_blocks(int32_t i) { return (i >> 1) * 4 + (i & 1); }

NACRE_CODE
static NACRE_AROUND void set_group(window_t *w, int32_t group)
{
    w->group = group;
    w->spread.lanes = w->across.inputs * group;
    w->spread.from_step = LANES / group * w->across.input_step;
    w->spread.to_step = LANES / group * 2;
    for (int32_t lane = 0; lane < LANES; ++lane) {
        const int32_t element = lane / group;
        const int32_t channel = lane % group;
        w->spread.offsets[0][lane] = (uint16_t)(element * w->across.input_step + channel);
        w->spread.offsets[1][lane] =
            (uint16_t)(in_blocks((w->across.pad & 1) + element) + channel * w->plane_size);
    }
}

/* The group of channels from `input` on to its planes: every second row, then those between, or
 * one by one where the ring ends among them. */
NACRE_CODE
static NACRE_AROUND void spread(window_t *w, const nacre_plane_mve_t *plane, const int8_t *input)
{
    const int32_t whole = w->first + w->down.inputs <= w->ring;
    const int32_t halves = nacre_min(w->down.inputs, whole ? 2 : w->down.inputs);
    w->spread.from_row = 2 * w->down.input_step;
    w->spread.to_row = plane->pitch;
    for (int32_t i = 0; i < halves && w->across.inputs > 0; ++i) {
        const int32_t row = i + w->down.pad;
        const int32_t from = w->first + i < w->ring ? w->first + i : w->first + i - w->ring;
        w->spread.from = input + from * w->down.input_step;
        w->spread.to = w->planes + in_blocks(w->across.pad & -2) + (row >> 1) * plane->pitch +
                       (row & 1) * 2;
        w->spread.rows = whole ? (w->down.inputs - i + 1) / 2 : 1;
        nacre_spread_mve(&w->spread);
    }
}

/* Which outputs of a turn there are; two bits each. */
NACRE_CODE
static NACRE_AROUND int32_t mask(int32_t across, int32_t down)
{
    int32_t bits = 0;
    for (int32_t lane = 0; lane < LANES; ++lane) {
        bits |= ACROSS(lane) < across && DOWN(lane) < down ? 3 << (2 * lane) : 0;
    }
    return bits;
}

/* Masks, offsets and steps of the outputs. */
NACRE_CODE
static NACRE_AROUND void set_outputs(const window_t *w, nacre_plane_mve_t *plane, int32_t *masks)
{
    const int32_t wide = TURN * WIDE;
    plane->masks = masks;
    plane->turn_step = wide * w->across.output_step;
    plane->row_step = WIDE * w->down.output_step;
    for (int32_t lane = 0; lane < LANES; ++lane) {
        plane->offsets[lane] = (uint16_t)(ACROSS(lane) * w->across.output_step +
                                          DOWN(lane) * w->down.output_step);
    }
    for (int32_t row = 0; row < plane->rows; ++row) {
        const int32_t down = w->down.outputs - row * WIDE;
        const int32_t full = mask(wide, down);
        for (int32_t turn = 1; turn < plane->turns; ++turn) {
            *masks++ = full;
        }
        *masks++ = mask(w->across.outputs - (plane->turns - 1) * wide, down);
    }
}

/* All channels of a window. */
NACRE_CODE
static NACRE_AROUND void convolve_window(window_t *w, const int8_t *constants, int8_t *output,
                                         const nacre_depthwise_mve_params_t *p,
                                         int32_t on_its_side, int8_t *scratch)
{
    nacre_plane_mve_t plane;
    plane.turns = (w->across.outputs + TURN * WIDE - 1) / (TURN * WIDE);
    plane.rows = (w->down.outputs + WIDE - 1) / WIDE;
    plane.pitch = 4 * (TURN * plane.turns + 1);
    plane.plane_size = plane.pitch * (plane.rows + 1);
    plane.index = INDEX[on_its_side];
    plane.output_offset = p->output_offset;
    plane.low = p->activation_min;
    plane.high = p->activation_max;
    plane.general = p->general;
    plane.constants = constants;
    plane.record = p->general ? 32 : 24;
    plane.y = output;
    w->plane_size = plane.plane_size;
    w->planes = scratch + 4 * plane.rows * plane.turns;
    set_outputs(w, &plane, (int32_t *)(void *)scratch);
    nacre_fill_mve(w->planes, p->pad_value, p->group * w->plane_size);
    set_group(w, p->group);
    for (int32_t channel = 0; channel < p->channels; channel += w->group) {
        if (channel + w->group > p->channels) {
            set_group(w, 1);
        }
        spread(w, &plane, w->input + channel);
        plane.blocks = w->planes;
        plane.channels = w->group;
        run_plane(&plane);
    }
}

/* A window of `outputs` that reads from `begin` on, of an image of `size`. */
NACRE_CODE
static NACRE_AROUND axis_t make_axis(int32_t begin, int32_t size, int32_t outputs)
{
    axis_t axis;
    const int32_t end = begin + (outputs - 1) * STRIDE + 3;
    axis.outputs = outputs;
    axis.pad = nacre_max(-begin, 0);
    axis.inputs = nacre_max(nacre_min(end, size) - nacre_max(begin, 0), 0);
    return axis;
}

/* Columns can be planes' rows where no ring wraps and 16 bits hold the distances. */
NACRE_CODE
static NACRE_AROUND int32_t lies_on_its_side(const window_t *w)
{
    const axis_t *x = &w->across;
    const axis_t *y = &w->down;
    return y->outputs > x->outputs && x->inputs > 0 && w->first + y->inputs <= w->ring &&
           LANES * y->input_step <= UINT16_MAX && 4 * y->output_step <= UINT16_MAX;
}

/* Output rows [oy, oy + count), which lie side by side. */
NACRE_CODE
static NACRE_AROUND void convolve_rows(const int8_t *input, const int8_t *constants, int8_t *output,
                          const nacre_depthwise_mve_params_t *p, int32_t oy, int32_t count,
                          int8_t *scratch)
{
    const int32_t iy = oy * STRIDE - p->pad_top;
    window_t w;
    w.down = make_axis(iy, p->input_h, count);
    w.across = make_axis(-p->pad_left, p->input_w, p->output_w);
    w.across.input_step = p->channels;
    w.across.output_step = p->channels;
    w.down.input_step = p->input_w * p->channels;
    w.down.output_step = p->output_w * p->channels;
    w.input = input;
    w.ring = p->input_ring;
    w.first = nacre_ring_row(nacre_max(iy, 0), p->input_ring);
    const int32_t on_its_side = lies_on_its_side(&w);
    if (on_its_side) {
        const axis_t columns = w.down;
        w.down = w.across;
        w.across = columns;
        w.input += w.first * columns.input_step;
        w.ring = INT32_MAX;
        w.first = 0;
    }
    convolve_window(&w, constants, output, p, on_its_side, scratch);
}

NACRE_CODE
static NACRE_AROUND void convolve(const int8_t *input, const int8_t *constants, int8_t *output,
                     const nacre_depthwise_mve_params_t *p, nacre_rows_t rows, int8_t *scratch)
{
    for (int32_t oy = rows.begin; oy < rows.end;) {
        const int32_t to = nacre_ring_row(oy, p->output_ring);
        const int32_t count = nacre_min(p->output_ring - to, rows.end - oy);
        convolve_rows(input, constants, output + to * p->output_w * p->channels, p, oy, count,
                      scratch);
        oy += count;
    }
}

#endif
