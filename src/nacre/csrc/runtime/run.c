/* SPDX-License-Identifier: Apache-2.0 */
/* Running a plan that was opened and prepared. */
#include <string.h>

#include "runtime_parts.h"

/* The rows of an action in an iteration. */
typedef struct {
    uint32_t begin;
    uint32_t end;
} window_t;

static window_t window_of(const nacre_plan_t *plan, const nacre_plan_action_t *action,
                          uint32_t iteration, window_t all)
{
    if (action->ends == NACRE_NONE) {
        return all;
    }
    const uint32_t *const ends = NACRE_RECORDS(plan, ENDS, uint32_t) + action->ends;
    const window_t window = {iteration == 0u ? 0u : ends[iteration - 1u], ends[iteration]};
    return window;
}

static void call(nacre_plan_t *plan, const nacre_plan_action_t *action, uint32_t iteration)
{
    const nacre_kernel_t *const kernel = plan->table->kernels + plan->kernels[action->target];
    const uint32_t *const words = NACRE_RECORDS(plan, ARGUMENTS, uint32_t) + action->arguments;
    nacre_frame_t *const frame = &plan->frame;
    if (kernel->rows_at == NACRE_NO_ROWS) {
        kernel->call(frame, words);
        return;
    }
    const window_t all = {words[kernel->rows_at], words[kernel->rows_at + 1u]};
    const window_t window = window_of(plan, action, iteration, all);
    frame->begin = (int32_t)window.begin;
    frame->end = (int32_t)window.end;
    if ((action->flags & NACRE_BACKWARD) == 0u) {
        if (window.begin < window.end) {
            kernel->call(frame, words);
        }
        return;
    }
    for (uint32_t row = window.end; row > window.begin; --row) {
        frame->begin = (int32_t)row - 1;
        frame->end = (int32_t)row;
        kernel->call(frame, words);
    }
}

static int32_t unpack(nacre_plan_t *plan, const nacre_plan_action_t *action)
{
    const nacre_plan_block_t *const b =
        NACRE_RECORDS(plan, BLOCKS, nacre_plan_block_t) + action->target;
    uint8_t *const to = plan->frame.bases[b->region];
    if (b->bytes == 0u) {
        return NACRE_STATUS_OK;
    }
    plan->constant_bytes += b->bytes;
    return nacre_unpack(plan->file + b->source, b->packed, to + b->offset, b->bytes)
               ? NACRE_STATUS_OK
               : NACRE_STATUS_DAMAGED_BLOCK;
}

/* Rows that lie side by side at both ends: from row `row` on, at most `rows`. */
static uint32_t piece(uint32_t row, uint32_t rows, uint32_t ring)
{
    const uint32_t left = ring - row % ring;
    return rows < left ? rows : left;
}

static uint8_t *row_at(const nacre_plan_t *plan, uint32_t pointer, uint32_t row, uint32_t ring,
                       uint32_t row_bytes)
{
    return plan->frame.bases[nacre_region_of(pointer)] + nacre_offset_of(pointer) +
           (size_t)(row % ring) * row_bytes;
}

static int32_t is_constant(const nacre_plan_t *plan, uint32_t pointer)
{
    const nacre_plan_region_t *const r = NACRE_RECORDS(plan, REGIONS, nacre_plan_region_t);
    return pointer != NACRE_NONE && !nacre_writable(r + nacre_region_of(pointer));
}

static int32_t copy_rows(nacre_plan_t *plan, const nacre_plan_move_t *m, uint32_t row,
                         uint32_t rows)
{
    int32_t said = 0;
    *(is_constant(plan, m->source) ? &plan->constant_bytes : &plan->moved_bytes) +=
        rows * m->row_bytes;
    if (m->source == NACRE_NONE) {
        if (plan->input_rows == NULL) {
            return NACRE_STATUS_NO_CALLBACK;
        }
        said = plan->input_rows(
            plan->user, m->tensor, row, rows,
            row_at(plan, m->destination, row, m->destination_ring, m->row_bytes));
    } else if (m->destination == NACRE_NONE) {
        if (plan->output_rows == NULL) {
            return NACRE_STATUS_NO_CALLBACK;
        }
        said = plan->output_rows(plan->user, m->tensor, row, rows,
                                 row_at(plan, m->source, row, m->source_ring, m->row_bytes));
    } else {
        memmove(row_at(plan, m->destination, row, m->destination_ring, m->row_bytes),
                row_at(plan, m->source, row, m->source_ring, m->row_bytes),
                (size_t)rows * m->row_bytes);
    }
    return said == 0 ? NACRE_STATUS_OK : NACRE_STATUS_STOPPED;
}

static int32_t move(nacre_plan_t *plan, const nacre_plan_action_t *action, uint32_t iteration)
{
    const nacre_plan_move_t *const m =
        NACRE_RECORDS(plan, MOVES, nacre_plan_move_t) + action->target;
    const window_t all = {0u, m->rows};
    window_t window = window_of(plan, action, iteration, all);
    int32_t status = NACRE_STATUS_OK;
    while (window.begin < window.end && m->row_bytes != 0u && status == NACRE_STATUS_OK) {
        uint32_t rows = window.end - window.begin;
        rows = m->source == NACRE_NONE ? rows : piece(window.begin, rows, m->source_ring);
        rows = m->destination == NACRE_NONE ? rows : piece(window.begin, rows, m->destination_ring);
        status = copy_rows(plan, m, window.begin, rows);
        window.begin += rows;
    }
    return status;
}

static void copy_box(nacre_plan_t *plan, const nacre_plan_action_t *action, uint32_t row,
                     uint32_t column)
{
    const nacre_plan_box_t *const b = NACRE_RECORDS(plan, BOXES, nacre_plan_box_t) + action->target;
    uint8_t *tile = plan->frame.bases[nacre_region_of(b->tile)];
    uint8_t *whole = plan->frame.bases[nacre_region_of(b->whole)];
    if ((size_t)b->planes * b->lines * b->line_bytes == 0u) {
        return;
    }
    tile += nacre_offset_of(b->tile);
    whole += nacre_offset_of(b->whole);
    whole += (size_t)row * b->row_step + (size_t)column * b->column_step;
    for (uint32_t p = 0; p < b->planes; ++p) {
        for (uint32_t l = 0; l < b->lines; ++l) {
            uint8_t *const line = whole + (size_t)p * b->plane_pitch + (size_t)l * b->line_pitch;
            memmove(b->store != 0u ? line : tile, b->store != 0u ? tile : line, b->line_bytes);
            tile += b->line_bytes;
        }
    }
    plan->moved_bytes += b->planes * b->lines * b->line_bytes;
}

static int32_t loop(nacre_plan_t *plan, const nacre_plan_action_t *action)
{
    const nacre_plan_loop_t *const l =
        NACRE_RECORDS(plan, LOOPS, nacre_plan_loop_t) + action->target;
    int32_t status = NACRE_STATUS_OK;
    for (uint32_t tile = 0; tile < l->rows * l->columns; ++tile) {
        const nacre_plan_action_t *a =
            NACRE_RECORDS(plan, ACTIONS, nacre_plan_action_t) + l->first;
        for (uint32_t i = 0; i < l->count && status == NACRE_STATUS_OK; ++i, ++a) {
            if (a->kind == NACRE_ACTION_BOX) {
                copy_box(plan, a, tile / l->columns, tile % l->columns);
            } else if (a->kind == NACRE_ACTION_CALL) {
                call(plan, a, 0u);
            } else {
                status = unpack(plan, a);
            }
        }
    }
    return status;
}

static int32_t act(nacre_plan_t *plan, const nacre_plan_action_t *action, uint32_t iteration)
{
    if ((action->flags & NACRE_FIRST_OF_STEP) != 0u && plan->on_step != NULL) {
        plan->on_step(plan->user, action->step);
    }
    switch (action->kind) {
    case NACRE_ACTION_CALL:
        call(plan, action, iteration);
        return NACRE_STATUS_OK;
    case NACRE_ACTION_UNPACK:
        return unpack(plan, action);
    case NACRE_ACTION_MOVE:
        return move(plan, action, iteration);
    default:
        return loop(plan, action);
    }
}

int32_t nacre_plan_run(nacre_plan_t *plan)
{
    if (plan == NULL) {
        return NACRE_STATUS_NULL;
    }
    if (plan->state != NACRE_STATE_PREPARED) {
        return NACRE_STATUS_NOT_PREPARED;
    }
    const nacre_plan_action_t *const actions = NACRE_RECORDS(plan, ACTIONS, nacre_plan_action_t);
    const nacre_plan_segment_t *s = NACRE_RECORDS(plan, SEGMENTS, nacre_plan_segment_t);
    int32_t status = NACRE_STATUS_OK;
    for (uint32_t n = 0; n < NACRE_COUNT(plan, SEGMENTS); ++n, ++s) {
        for (uint32_t i = 0; i < s->iterations; ++i) {
            for (uint32_t a = s->first; a < s->first + s->count; ++a) {
                status = act(plan, actions + a, i);
                if (status != NACRE_STATUS_OK) {
                    return nacre_refuse(plan, status, a);
                }
            }
        }
    }
    return status;
}
