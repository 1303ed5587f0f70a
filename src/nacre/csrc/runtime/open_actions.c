/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a plan: segments, loops and their actions. */
#include "nacre_check.h"
#include "runtime_parts.h"

enum { MOST_ITERATIONS = 1 << 16, MOST_TILES = 1 << 16 };

/* Is a run of `bytes` bytes behind a pointer inside its region? */
static int32_t pointer_reaches(const nacre_plan_t *plan, uint32_t pointer, int64_t bytes,
                               int32_t written)
{
    const uint32_t number = nacre_region_of(pointer);
    if (number >= NACRE_COUNT(plan, REGIONS) || bytes < 0) {
        return 0;
    }
    const nacre_plan_region_t *const r = NACRE_RECORDS(plan, REGIONS, nacre_plan_region_t) + number;
    return (!written || nacre_writable(r)) &&
           bytes + (int64_t)nacre_offset_of(pointer) <= (int64_t)r->bytes;
}

/* The rows of an action: in order, and none behind `rows`. */
static int32_t check_ends(const nacre_plan_t *plan, const nacre_plan_action_t *action,
                          uint32_t iterations, uint32_t rows)
{
    uint32_t last = 0;
    if (!nacre_inside(action->ends, iterations, NACRE_COUNT(plan, ENDS)) || iterations == 0u) {
        return NACRE_STATUS_BAD_ROWS;
    }
    const uint32_t *const ends = NACRE_RECORDS(plan, ENDS, uint32_t) + action->ends;
    for (uint32_t i = 0; i < iterations; ++i) {
        if (ends[i] < last || ends[i] > rows) {
            return NACRE_STATUS_BAD_ROWS;
        }
        last = ends[i];
    }
    return NACRE_STATUS_OK;
}

static int32_t check_call(nacre_plan_t *plan, const nacre_plan_action_t *action,
                          uint32_t iterations)
{
    const int32_t status = nacre_open_call(plan, action);
    const int32_t cut = action->ends != NACRE_NONE;
    const int32_t backward = (action->flags & NACRE_BACKWARD) != 0u;
    if (status != NACRE_STATUS_OK || (!cut && !backward)) {
        return status;
    }
    const nacre_kernel_t *const kernel = plan->table->kernels + plan->kernels[action->target];
    const uint32_t *const words = NACRE_RECORDS(plan, ARGUMENTS, uint32_t) + action->arguments;
    if (kernel->rows_at == NACRE_NO_ROWS || (cut && backward)) {
        return NACRE_STATUS_BAD_ROWS;
    }
    if (!cut) {
        return NACRE_STATUS_OK;
    }
    return words[kernel->rows_at] != 0u
               ? NACRE_STATUS_BAD_ROWS
               : check_ends(plan, action, iterations, words[kernel->rows_at + 1u]);
}

static int32_t check_unpack(const nacre_plan_t *plan, const nacre_plan_action_t *action)
{
    if (action->target >= NACRE_COUNT(plan, BLOCKS)) {
        return NACRE_STATUS_BAD_BLOCK;
    }
    const nacre_plan_block_t *const b =
        NACRE_RECORDS(plan, BLOCKS, nacre_plan_block_t) + action->target;
    if (b->region >= NACRE_COUNT(plan, REGIONS)) {
        return NACRE_STATUS_BAD_BLOCK;
    }
    const nacre_plan_region_t *const r =
        NACRE_RECORDS(plan, REGIONS, nacre_plan_region_t) + b->region;
    const uint8_t *const packed = NACRE_RECORDS(plan, PACKED, uint8_t);
    const uint32_t first = packed == NULL ? 0u : (uint32_t)(packed - plan->file);
    const int32_t read = b->source >= first && nacre_inside(b->source - first, b->packed,
                                                            NACRE_COUNT(plan, PACKED));
    const int32_t written =
        r->kind == NACRE_REGION_UNPACKED && nacre_inside(b->offset, b->bytes, r->bytes);
    return read && written ? NACRE_STATUS_OK : NACRE_STATUS_BAD_BLOCK;
}

/* One end of a move: in a region, or the caller's tensor of just these rows. */
static int32_t check_end_of_move(const nacre_plan_t *plan, const nacre_plan_move_t *m,
                                 uint32_t pointer, uint32_t ring, int32_t written)
{
    const nacre_plan_tensor_t *const t = NACRE_RECORDS(plan, TENSORS, nacre_plan_tensor_t);
    if (pointer != NACRE_NONE) {
        const int32_t kept = ring > NACRE_MOST_ROWS ? 0 : (int32_t)ring;
        return pointer_reaches(plan, pointer, nacre_times(nacre_kept(kept, m->rows), m->row_bytes),
                               written);
    }
    const uint32_t number = written ? plan->inputs + m->tensor : m->tensor;
    const int32_t known = m->tensor < (written ? plan->outputs : plan->inputs);
    return known && (uint64_t)m->rows * m->row_bytes == t[number].bytes;
}

static int32_t check_move(const nacre_plan_t *plan, const nacre_plan_action_t *action,
                          uint32_t iterations)
{
    if (action->target >= NACRE_COUNT(plan, MOVES)) {
        return NACRE_STATUS_BAD_MOVE;
    }
    const nacre_plan_move_t *const m =
        NACRE_RECORDS(plan, MOVES, nacre_plan_move_t) + action->target;
    if (m->rows > NACRE_MOST_ROWS ||
        (m->source == NACRE_NONE && m->destination == NACRE_NONE) ||
        !check_end_of_move(plan, m, m->source, m->source_ring, 0) ||
        !check_end_of_move(plan, m, m->destination, m->destination_ring, 1)) {
        return NACRE_STATUS_BAD_MOVE;
    }
    return action->ends == NACRE_NONE ? NACRE_STATUS_OK
                                      : check_ends(plan, action, iterations, m->rows);
}

static int32_t check_box(const nacre_plan_t *plan, const nacre_plan_action_t *action,
                         const nacre_plan_loop_t *loop)
{
    if (action->target >= NACRE_COUNT(plan, BOXES)) {
        return NACRE_STATUS_BAD_MOVE;
    }
    const nacre_plan_box_t *const b = NACRE_RECORDS(plan, BOXES, nacre_plan_box_t) + action->target;
    int64_t bytes = nacre_span(b->lines, b->line_pitch, b->line_bytes);
    bytes = nacre_span(b->planes, b->plane_pitch, bytes);
    bytes = nacre_span(loop->columns, b->column_step, bytes);
    bytes = nacre_span(loop->rows, b->row_step, bytes);
    const int64_t tile = nacre_times3(b->planes, b->lines, b->line_bytes);
    const int32_t store = b->store != 0u;
    return pointer_reaches(plan, b->whole, bytes, store) &&
                   pointer_reaches(plan, b->tile, tile, !store)
               ? NACRE_STATUS_OK
               : NACRE_STATUS_BAD_MOVE;
}

static int32_t check_loop(nacre_plan_t *plan, const nacre_plan_action_t *action)
{
    if (action->target >= NACRE_COUNT(plan, LOOPS)) {
        return NACRE_STATUS_BAD_SEGMENT;
    }
    const nacre_plan_loop_t *const loop =
        NACRE_RECORDS(plan, LOOPS, nacre_plan_loop_t) + action->target;
    if (loop->count == 0u || !nacre_inside(loop->first, loop->count, NACRE_COUNT(plan, ACTIONS)) ||
        !nacre_between(nacre_times(loop->rows, loop->columns), 0, MOST_TILES)) {
        return NACRE_STATUS_BAD_SEGMENT;
    }
    const nacre_plan_action_t *a = NACRE_RECORDS(plan, ACTIONS, nacre_plan_action_t) + loop->first;
    int32_t status = NACRE_STATUS_OK;
    for (uint32_t i = 0; i < loop->count && status == NACRE_STATUS_OK; ++i, ++a) {
        const int32_t whole = a->ends == NACRE_NONE;
        status = a->kind == NACRE_ACTION_BOX                ? check_box(plan, a, loop)
                 : a->kind == NACRE_ACTION_UNPACK           ? check_unpack(plan, a)
                 : a->kind == NACRE_ACTION_CALL && whole    ? check_call(plan, a, 1)
                                                            : NACRE_STATUS_BAD_ACTION;
    }
    return status;
}

static int32_t check_action(nacre_plan_t *plan, const nacre_plan_action_t *action,
                            uint32_t iterations)
{
    /* What repeats does some of its rows each time: the work of a plan is bounded by its rows. */
    if (iterations != 1u && action->ends == NACRE_NONE) {
        return NACRE_STATUS_BAD_ROWS;
    }
    switch (action->kind) {
    case NACRE_ACTION_CALL:
        return check_call(plan, action, iterations);
    case NACRE_ACTION_MOVE:
        return check_move(plan, action, iterations);
    case NACRE_ACTION_UNPACK:
        return iterations == 1u ? check_unpack(plan, action) : NACRE_STATUS_BAD_ACTION;
    case NACRE_ACTION_LOOP:
        return iterations == 1u ? check_loop(plan, action) : NACRE_STATUS_BAD_ACTION;
    default:
        return NACRE_STATUS_BAD_ACTION;
    }
}

static int32_t check_segment(nacre_plan_t *plan, const nacre_plan_segment_t *s)
{
    if (!nacre_inside(s->first, s->count, NACRE_COUNT(plan, ACTIONS)) ||
        s->iterations > MOST_ITERATIONS) {
        return NACRE_STATUS_BAD_SEGMENT;
    }
    if (s->count == 0u) {
        return NACRE_STATUS_OK;
    }
    const nacre_plan_action_t *const a = NACRE_RECORDS(plan, ACTIONS, nacre_plan_action_t);
    for (uint32_t i = s->first; i < s->first + s->count; ++i) {
        const int32_t status = check_action(plan, a + i, s->iterations);
        if (status != NACRE_STATUS_OK) {
            return nacre_refuse(plan, status, i);
        }
    }
    return NACRE_STATUS_OK;
}

int32_t nacre_open_actions(nacre_plan_t *plan)
{
    const nacre_plan_segment_t *s = NACRE_RECORDS(plan, SEGMENTS, nacre_plan_segment_t);
    int32_t status = NACRE_STATUS_OK;
    for (uint32_t i = 0; i < NACRE_COUNT(plan, SEGMENTS) && status == NACRE_STATUS_OK; ++i, ++s) {
        status = check_segment(plan, s);
    }
    plan->frame.params = NACRE_RECORDS(plan, PARAMS, uint8_t);
    return status;
}
