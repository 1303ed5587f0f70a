/* SPDX-License-Identifier: Apache-2.0 */
/* int8 depthwise convolution of one kernel column or row, with Helium. */
#include "nacre_depthwise_mve.h"

#if defined(__ARM_FEATURE_MVE)

#include "nacre_mve.h"
#include "nacre_plane_mve.h"
#include "nacre_spread_mve.h"

enum { LANES = 8 };

/* The direction of the kernel, or the other one: inputs read after `pad` elements of padding, the
 * bytes from one to the next, outputs and the bytes between them. */
typedef struct {
    int32_t inputs;
    int32_t pad;
    int32_t input_step;
    int32_t outputs;
    int32_t output_step;
} axis_t;

typedef struct {
    const int8_t *input;
    /* Elements of the line, or lines, before the ring of rows begins again. */
    int32_t before_wrap;
    axis_t along;
    axis_t lines;
    int32_t group;
    nacre_spread_t spread;
} window_t;

NACRE_CODE
static NACRE_AROUND axis_t make_axis(int32_t begin, int32_t size, int32_t kernel, int32_t outputs)
{
    axis_t axis;
    axis.outputs = outputs;
    axis.pad = nacre_max(-begin, 0);
    axis.inputs =
        nacre_max(nacre_min(begin + outputs - 1 + kernel, size) - nacre_max(begin, 0), 0);
    return axis;
}

NACRE_CODE
static NACRE_AROUND void set_group(window_t *w, int32_t group, int32_t plane_size)
{
    w->group = group;
    w->spread.from_step = LANES / group * w->along.input_step;
    w->spread.to_step = LANES / group;
    for (int32_t lane = 0; lane < LANES; ++lane) {
        w->spread.offsets[0][lane] =
            (uint16_t)(lane / group * w->along.input_step + lane % group);
        w->spread.offsets[1][lane] = (uint16_t)(lane / group + lane % group * plane_size);
    }
}

/* Elements [begin, end) of lines [first, last), whose first element of all is at `from`. */
NACRE_CODE
static NACRE_AROUND void spread_part(window_t *w, const int8_t *from, int8_t *to, int32_t elements,
                                     int32_t lines)
{
    if (elements > 0 && lines > 0) {
        w->spread.from = from;
        w->spread.to = to;
        w->spread.lanes = elements * w->group;
        w->spread.rows = lines;
        nacre_spread_mve(&w->spread);
    }
}

/* The group of channels from `channel` on; rows of the ring's beginning come apart. */
NACRE_CODE
static NACRE_AROUND void spread(window_t *w, int32_t channel, int32_t upright, int32_t row_bytes,
                                int32_t ring, int8_t *planes)
{
    const int8_t *const from = w->input + channel;
    const int32_t pitch = w->spread.to_row;
    int8_t *const to = planes + w->lines.pad * pitch + w->along.pad;
    const int32_t rows = upright ? w->along.inputs : w->lines.inputs;
    const int32_t first = nacre_min(rows, w->before_wrap);
    const int8_t *const again = from + (first - ring) * row_bytes;
    if (upright) {
        spread_part(w, from, to, first, w->lines.inputs);
        spread_part(w, again, to + first, rows - first, w->lines.inputs);
    } else {
        spread_part(w, from, to, w->along.inputs, first);
        spread_part(w, again, to + first * pitch, w->along.inputs, rows - first);
    }
}

/* Masks, offsets and steps of the outputs. */
NACRE_CODE
static NACRE_AROUND void set_outputs(const window_t *w, nacre_plane_mve_t *plane, int32_t *masks)
{
    const int32_t last = w->along.outputs - (plane->turns - 1) * LANES;
    int32_t bits = 0;
    plane->masks = masks;
    plane->turn_step = LANES * w->along.output_step;
    plane->row_step = w->lines.output_step;
    for (int32_t lane = 0; lane < LANES; ++lane) {
        const int32_t output = (lane >> 1) + 4 * (lane & 1);
        plane->offsets[lane] = (uint16_t)(output * w->along.output_step);
        bits |= output < last ? 3 << (2 * lane) : 0;
    }
    for (int32_t line = 0; line < plane->rows; ++line) {
        for (int32_t turn = 1; turn < plane->turns; ++turn) {
            *masks++ = 0xFFFF;
        }
        *masks++ = bits;
    }
}

/* Output rows [oy, oy + count), which lie side by side. */
NACRE_CODE
static NACRE_AROUND void convolve_rows(const int8_t *input, const int8_t *constants, int8_t *output,
                                       const nacre_depthwise_line_mve_params_t *p, int32_t oy,
                                       int32_t count, int8_t *scratch)
{
    const int32_t upright = p->kernel_h > 1;
    const int32_t iy = oy - p->pad_top;
    const int32_t first = nacre_ring_row(nacre_max(iy, 0), p->input_ring);
    const int32_t row_bytes = p->input_w * p->channels;
    axis_t y = make_axis(iy, p->input_h, p->kernel_h, count);
    axis_t x = make_axis(-p->pad_left, p->input_w, p->kernel_w, p->output_w);
    x.input_step = p->channels;
    x.output_step = p->channels;
    y.input_step = row_bytes;
    y.output_step = p->output_w * p->channels;
    window_t w;
    w.input = input + first * row_bytes;
    w.before_wrap = p->input_ring - first;
    w.along = upright ? y : x;
    w.lines = upright ? x : y;
    nacre_plane_mve_t plane;
    plane.turns = (w.along.outputs + LANES - 1) / LANES;
    plane.rows = w.lines.outputs;
    plane.pitch = LANES * plane.turns + 16;
    plane.plane_size = plane.pitch * plane.rows;
    plane.output_offset = p->output_offset;
    plane.low = p->activation_min;
    plane.high = p->activation_max;
    plane.general = p->general;
    plane.constants = constants;
    /* From behind the weights to the next channel. */
    plane.record = p->general ? 32 : 24;
    plane.index = NULL;
    plane.y = output;
    set_outputs(&w, &plane, (int32_t *)(void *)scratch);
    int8_t *const planes = scratch + 4 * plane.rows * plane.turns;
    nacre_fill_mve(planes, p->pad_value, p->group * plane.plane_size);
    w.spread.from_row = w.lines.input_step;
    w.spread.to_row = plane.pitch;
    set_group(&w, p->group, plane.plane_size);
    for (int32_t channel = 0; channel < p->channels; channel += w.group) {
        if (channel + w.group > p->channels) {
            set_group(&w, 1, plane.plane_size);
        }
        spread(&w, channel, upright, row_bytes, p->input_ring, planes);
        plane.blocks = planes;
        plane.channels = w.group;
        nacre_plane_line_s8_mve(&plane);
    }
}

NACRE_CODE
NACRE_AROUND void nacre_depthwise_line_s8_mve(const int8_t *input, const int8_t *constants,
                                             int8_t *output,
                                             const nacre_depthwise_line_mve_params_t *p,
                                             nacre_rows_t rows, int8_t *scratch)
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
