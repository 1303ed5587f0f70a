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
    /* Channels that are spread together; where 8 inputs are, and where they go. */
    int32_t group;
    uint16_t from[LANES];
    uint16_t to[LANES];
} window_t;

/* Where element i of a row is in a row of blocks. */
NACRE_CODE
static inline int32_t in_blocks(int32_t i) { return (i >> 1) * 4 + (i & 1); }

NACRE_CODE
static void set_group(window_t *w, int32_t group)
{
    w->group = group;
    for (int32_t lane = 0; lane < LANES; ++lane) {
        const int32_t element = lane / group;
        const int32_t channel = lane % group;
        w->from[lane] = (uint16_t)(element * w->across.input_step + channel);
        w->to[lane] = (uint16_t)(in_blocks((w->across.pad & 1) + element) + channel * w->plane_size);
    }
}

/* Inputs of a row to their planes: `lanes` of them, 8 at a time. */
NACRE_CODE
static inline void spread_row(const window_t *w, const int8_t *from, int8_t *to)
{
    const int32_t elements = LANES / w->group;
    __asm volatile(
        "vldrh.u16  q1, [%[gather]]\n"
        "vldrh.u16  q2, [%[scatter]]\n"
        "dlstp.16   lr, %[lanes]\n"
        "1:\n"
        "vldrb.u16  q0, [%[from], q1]\n"
        "add        %[from], %[from_step]\n"
        "vstrb.16   q0, [%[to], q2]\n"
        "add        %[to], %[to_step]\n"
        "letp       lr, 1b\n"
        : [from] "+r"(from), [to] "+r"(to)
        : [gather] "r"(w->from), [scatter] "r"(w->to), [lanes] "r"(w->across.inputs * w->group),
          [from_step] "r"(elements * w->across.input_step), [to_step] "r"(2 * elements)
        : "lr", "q0", "q1", "q2", "memory");
}

/* The group of channels from `input` on to its planes. */
NACRE_CODE
static void spread(const window_t *w, const nacre_plane_mve_t *plane, const int8_t *input)
{
    int8_t *const to = w->planes + in_blocks(w->across.pad & -2);
    int32_t from = w->first;
    for (int32_t i = 0; i < w->down.inputs; ++i) {
        const int32_t row = i + w->down.pad;
        spread_row(w, input + from * w->down.input_step,
                   to + (row >> 1) * plane->pitch + (row & 1) * 2);
        from = from + 1 == w->ring ? 0 : from + 1;
    }
}

/* Masks, offsets and steps of the outputs. */
NACRE_CODE
static void set_outputs(const window_t *w, nacre_plane_mve_t *plane, int32_t *masks)
{
    for (int32_t lane = 0; lane < LANES; ++lane) {
        const int32_t down = DOWN(lane);
        plane->offsets[lane] =
            (uint16_t)(ACROSS(lane) * w->across.output_step + down * w->down.output_step);
    }
    for (int32_t turn = 0; turn < plane->turns; ++turn) {
        int32_t full = 0;
        int32_t last = 0;
        for (int32_t lane = 0; lane < LANES; ++lane) {
            const int32_t bits = 3 << (2 * lane);
            const int32_t inside = turn * TURN * WIDE + ACROSS(lane) < w->across.outputs;
            const int32_t below = (plane->rows - 1) * WIDE + DOWN(lane) < w->down.outputs;
            full |= inside ? bits : 0;
            last |= inside && below ? bits : 0;
        }
        masks[turn] = full;
        masks[plane->turns + turn] = last;
    }
    plane->masks = masks;
    plane->turn_step = TURN * WIDE * w->across.output_step;
    plane->row_step = WIDE * w->down.output_step;
}

/* All channels of a window. */
NACRE_CODE
static void convolve_window(window_t *w, const int8_t *constants, int8_t *output,
                            const nacre_depthwise_mve_params_t *p, int32_t on_its_side,
                            int8_t *scratch)
{
    nacre_plane_mve_t plane;
    plane.turns = (w->across.outputs + TURN * WIDE - 1) / (TURN * WIDE);
    plane.rows = (w->down.outputs + WIDE - 1) / WIDE;
    plane.pitch = 4 * (TURN * plane.turns + 1);
    plane.index = INDEX[on_its_side];
    plane.output_offset = p->output_offset;
    plane.low = p->activation_min;
    plane.high = p->activation_max;
    plane.general = p->general;
    plane.constants = constants;
    w->plane_size = plane.pitch * (plane.rows + 1);
    w->planes = scratch + 8 * plane.turns;
    set_outputs(w, &plane, (int32_t *)(void *)scratch);
    nacre_fill_mve(w->planes, p->pad_value, p->group * w->plane_size);
    set_group(w, p->group);
    for (int32_t channel = 0; channel < p->channels; channel += w->group) {
        if (channel + w->group > p->channels) {
            set_group(w, 1);
        }
        if (w->across.inputs > 0) {
            spread(w, &plane, w->input + channel);
        }
        for (int32_t i = 0; i < w->group; ++i) {
            plane.blocks = w->planes + i * w->plane_size;
            plane.y = output + channel + i;
            run_plane(&plane);
            plane.constants += p->general ? 32 : 24;
        }
    }
}

/* A window of `outputs` that reads from `begin` on, of an image of `size`. */
NACRE_CODE
static axis_t make_axis(int32_t begin, int32_t size, int32_t outputs)
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
static int32_t lies_on_its_side(const window_t *w)
{
    const axis_t *x = &w->across;
    const axis_t *y = &w->down;
    return y->outputs > x->outputs && x->inputs > 0 && w->first + y->inputs <= w->ring &&
           LANES * y->input_step <= UINT16_MAX && 4 * y->output_step <= UINT16_MAX;
}

/* Output rows [oy, oy + count), which lie side by side. */
NACRE_CODE
static void convolve_rows(const int8_t *input, const int8_t *constants, int8_t *output,
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
static void convolve(const int8_t *input, const int8_t *constants, int8_t *output,
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
