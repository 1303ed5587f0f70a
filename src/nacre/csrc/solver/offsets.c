/* SPDX-License-Identifier: Apache-2.0 */
/* Exact search for buffer offsets: place the lowest open buffer, or pass it over until another lies
 * below it; planner/exact.py explains the rules and is the oracle. */
#include "offsets.h"

#include <stddef.h>

#define FAR INT32_MAX
#define NOTHING (-1)  /* no task is left to do: a solution */
#define EXHAUSTED (-2) /* no decision is left to change */

/* Open buffers that are joined in time, to be placed without regard to any other. */
typedef struct {
    int32_t members; /* index into the pool */
    int32_t count;
    int32_t parent; /* frame that created the task, or -1 */
    int32_t next;   /* task to do after this one, or NOTHING */
} task_t;

/* The decision made for a task. */
typedef struct {
    int32_t task;
    int32_t placed;       /* buffer, or -1 */
    int32_t trail_opened; /* length of the trail when the frame was opened */
    int32_t trail_placed; /* ... and before the placement: what is between are waiting buffers */
    int32_t task_count;
    int32_t pool_used;
} frame_t;

typedef struct {
    int32_t buffer;
    int32_t least;
    int32_t waiting;
} change_t;

typedef struct {
    const nacre_solver_problem_t *problem;
    const int32_t *rank;
    int32_t height;
    int32_t *least;   /* per buffer: least offset that the placed neighbours allow */
    int32_t *waiting; /* per buffer: the offset at which it was passed over, or -1 */
    int32_t *head;    /* per member of the task at hand: a bound on its offset */
    int32_t *open;    /* per buffer: 1 until placed */
    int32_t *offset;  /* per buffer: where it was placed last */
    int32_t *joins;   /* per slice t: open buffers that are alive in both t - 1 and t */
    int32_t *filled;  /* per slice: scratch of the capacity test */
    change_t *trail;
    int32_t trail_count;
    task_t *tasks;
    int32_t task_count;
    frame_t *frames;
    int32_t frame_count;
    int32_t *pool; /* members of the tasks */
    int32_t pool_used;
    int32_t pool_room;
    int64_t worked;
} search_t;

static int32_t *members_of(const search_t *s, const task_t *task) {
    return s->pool + task->members;
}

static int32_t aligned(int32_t offset, int32_t step) {
    const int32_t over = step == 1 ? 0 : offset % step;
    return over ? offset + (step - over) : offset;
}

/* The least offset for a waiting buffer: above one of those that may still come below it. */
static int32_t lifted(const search_t *s, int32_t b) {
    const nacre_solver_problem_t *p = s->problem;
    int32_t best = FAR;
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        const int32_t other = p->edge_to[e];
        const int32_t head = s->head[other];
        if (s->open[other] && head + p->edge_down[e] < best &&
            head < s->waiting[b] + p->edge_up[e]) {
            best = head + p->edge_down[e];
        }
    }
    return best == FAR ? FAR : aligned(best, p->step[b]);
}

/* The least offset for a free buffer that is not to run into a pinned, open one. */
static int32_t past_pins(const search_t *s, int32_t b) {
    const nacre_solver_problem_t *p = s->problem;
    int32_t head = s->head[b];
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        const int32_t other = p->edge_to[e];
        const int32_t pin = p->pin[other];
        if (s->open[other] && pin >= 0 && pin < head + p->edge_up[e] &&
            pin + p->edge_down[e] > head) {
            head = aligned(pin + p->edge_down[e], p->step[b]);
        }
    }
    return head;
}

/* Raise the head of b as far as is certain; returns 1 when it moved. */
static int32_t raise(search_t *s, int32_t b) {
    const nacre_solver_problem_t *p = s->problem;
    int32_t head = s->head[b];
    if (p->pin[b] >= 0) {
        return 0;
    }
    if (s->waiting[b] >= 0) {
        const int32_t lift = lifted(s, b);
        head = lift > head ? lift : head;
    }
    if (p->pinned && head != FAR) {
        const int32_t past = past_pins(s, b);
        head = past > head ? past : head;
    }
    if (head == s->head[b]) {
        return 0;
    }
    s->head[b] = head;
    return 1;
}

/* Bounds on the members' offsets. Returns 0 when one of them passes the height or its pin. */
static int32_t find_heads(search_t *s, const task_t *task) {
    const nacre_solver_problem_t *p = s->problem;
    const int32_t *const members = members_of(s, task);
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = members[i];
        s->head[b] = s->least[b];
        if (s->least[b] > s->height - p->size[b] || (p->pin[b] >= 0 && s->least[b] > p->pin[b])) {
            return 0;
        }
    }
    for (int32_t moved = 1; moved;) {
        moved = 0;
        for (int32_t i = 0; i < task->count; ++i) {
            const int32_t b = members[i];
            if (raise(s, b)) {
                moved = 1;
                if (s->head[b] > s->height - p->size[b]) {
                    return 0;
                }
            }
        }
    }
    return 1;
}

static void sort_by_head(const search_t *s, const task_t *task) {
    int32_t *const members = members_of(s, task);
    for (int32_t i = 1; i < task->count; ++i) {
        const int32_t b = members[i];
        int32_t k = i;
        for (; k > 0 && s->head[members[k - 1]] > s->head[b]; --k) {
            members[k] = members[k - 1];
        }
        members[k] = b;
    }
}

static void fill(int32_t *restrict filled, int32_t count, int32_t head, int32_t size) {
    for (int32_t t = 0; t < count; ++t) {
        filled[t] = (filled[t] > head ? filled[t] : head) + size;
    }
}

static void fill_weighted(int32_t *restrict filled, int32_t count, int32_t head,
                          const int32_t *restrict weight) {
    for (int32_t t = 0; t < count; ++t) {
        filled[t] = (filled[t] > head ? filled[t] : head) + weight[t];
    }
}

/* Live members of each slice one after the other, none below its head: 1 if one is too high.
 *     slice t   |---a---|     |--b--|-c-|     |height
 *               ^head a       ^head b      */
static int32_t is_crowded(search_t *s, const task_t *task) {
    const nacre_solver_problem_t *p = s->problem;
    const int32_t *const members = members_of(s, task);
    int32_t from = p->slices;
    int32_t to = 0;
    for (int32_t i = 0; i < task->count; ++i) {
        from = p->first[members[i]] < from ? p->first[members[i]] : from;
        to = p->last[members[i]] > to ? p->last[members[i]] : to;
    }
    for (int32_t t = from; t < to; ++t) {
        s->filled[t] = 0;
    }
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = members[i];
        int32_t *const filled = s->filled + p->first[b];
        const int32_t count = p->last[b] - p->first[b];
        if (p->weight) {
            fill_weighted(filled, count, s->head[b], p->weight + p->weight_start[b]);
        } else {
            fill(filled, count, s->head[b], p->size[b]);
        }
    }
    int32_t top = 0;
    for (int32_t t = from; t < to; ++t) {
        top = s->filled[t] > top ? s->filled[t] : top;
    }
    return top > s->height;
}

/* The lowest member that does not wait, the first in rank among equals; -1 when there is none. */
static int32_t lowest(const search_t *s, const task_t *task) {
    const int32_t *const members = members_of(s, task);
    int32_t best = -1;
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = members[i];
        if (best >= 0 && s->head[b] > s->head[best]) {
            break;
        }
        if (s->waiting[b] < 0 && (best < 0 || s->rank[b] < s->rank[best])) {
            best = b;
        }
    }
    return best;
}

/* The buffer to decide on, or -1 when the task cannot be done. */
static int32_t choose(search_t *s, const task_t *task) {
    s->worked += task->count;
    if (!find_heads(s, task)) {
        return -1;
    }
    sort_by_head(s, task);
    return is_crowded(s, task) ? -1 : lowest(s, task);
}

static void change(search_t *s, int32_t b, int32_t least, int32_t waiting) {
    const change_t before = {b, s->least[b], s->waiting[b]};
    s->trail[s->trail_count++] = before;
    s->least[b] = least;
    s->waiting[b] = waiting;
}

static void undo_changes(search_t *s, int32_t trail_count) {
    while (s->trail_count > trail_count) {
        const change_t before = s->trail[--s->trail_count];
        s->least[before.buffer] = before.least;
        s->waiting[before.buffer] = before.waiting;
    }
}

static void count_joins(search_t *s, int32_t b, int32_t by) {
    for (int32_t t = s->problem->first[b] + 1; t < s->problem->last[b]; ++t) {
        s->joins[t] += by;
    }
}

/* Whoever waits for a neighbour to come below it does so no more once one has. */
static void place(search_t *s, frame_t *frame, int32_t b) {
    const nacre_solver_problem_t *p = s->problem;
    const int32_t offset = s->head[b];
    frame->placed = b;
    frame->trail_placed = s->trail_count;
    s->offset[b] = offset;
    s->open[b] = 0;
    count_joins(s, b, -1);
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        const int32_t other = p->edge_to[e];
        if (!s->open[other]) {
            continue;
        }
        const int32_t above = aligned(offset + p->edge_up[e], p->step[other]);
        const int32_t least = s->least[other] > above ? s->least[other] : above;
        /* This edge is the other's edge reversed: its gap when above is our gap when below. */
        const int32_t lies_below = offset < s->waiting[other] + p->edge_down[e];
        const int32_t waiting = lies_below ? -1 : s->waiting[other];
        if (least != s->least[other] || waiting != s->waiting[other]) {
            change(s, other, least, waiting);
        }
    }
}

static void take_back(search_t *s, frame_t *frame) {
    undo_changes(s, frame->trail_placed);
    if (frame->placed >= 0) {
        count_joins(s, frame->placed, 1);
        s->open[frame->placed] = 1;
        frame->placed = -1;
    }
    s->task_count = frame->task_count;
    s->pool_used = frame->pool_used;
}

static void open_frame(search_t *s, int32_t task) {
    const frame_t frame = {task, -1, s->trail_count, s->trail_count, s->task_count, s->pool_used};
    s->frames[s->frame_count++] = frame;
}

static void close_frame(search_t *s) {
    frame_t *const frame = &s->frames[--s->frame_count];
    take_back(s, frame);
    undo_changes(s, frame->trail_opened);
}

static int32_t is_split(const search_t *s, int32_t b) {
    for (int32_t t = s->problem->first[b] + 1; t < s->problem->last[b]; ++t) {
        if (s->joins[t] == 0) {
            return 1;
        }
    }
    return 0;
}

static void sort_by_time(const search_t *s, int32_t *members, int32_t count) {
    for (int32_t i = 1; i < count; ++i) {
        const int32_t b = members[i];
        int32_t k = i;
        for (; k > 0 && s->problem->first[members[k - 1]] > s->problem->first[b]; --k) {
            members[k] = members[k - 1];
        }
        members[k] = b;
    }
}

/* Add a task in front of the list `next`, behind those with fewer members. */
static int32_t add_task(search_t *s, task_t task, int32_t next, int32_t barrier) {
    const int32_t made = s->task_count++;
    int32_t before = -1;
    int32_t after = next;
    while (after != barrier && s->tasks[after].count <= task.count) {
        before = after;
        after = s->tasks[after].next;
    }
    s->tasks[made] = task;
    s->tasks[made].next = after;
    if (before < 0) {
        return made;
    }
    s->tasks[before].next = made;
    return next;
}

/* The tasks left after `placed` of the top frame; returns the first of the list to do. */
static int32_t make_tasks(search_t *s) {
    const frame_t *const frame = &s->frames[s->frame_count - 1];
    const task_t *const whole = &s->tasks[frame->task];
    const int32_t *const members = members_of(s, whole);
    int32_t *const rest = s->pool + s->pool_used;
    int32_t count = 0;
    for (int32_t i = 0; i < whole->count; ++i) {
        if (members[i] != frame->placed) {
            rest[count++] = members[i];
        }
    }
    const int32_t split = is_split(s, frame->placed);
    if (split) {
        sort_by_time(s, rest, count);
    }
    const int32_t after = whole->next;
    int32_t next = after;
    task_t task = {s->pool_used, 0, s->frame_count - 1, NOTHING};
    for (int32_t i = 0; i < count; ++i) {
        const int32_t start = s->problem->first[rest[i]];
        if (split && i > 0 && s->joins[start] == 0 && start > s->problem->first[rest[i - 1]]) {
            next = add_task(s, task, next, after);
            task.members += task.count;
            task.count = 0;
        }
        ++task.count;
    }
    s->pool_used += count;
    return count > 0 ? add_task(s, task, next, after) : next;
}

/* A task of the top frame failed: what was placed last waits instead, in the frame that created the
 * task, or, when that was a pinned buffer, in the frame before. Returns 0 when there is none. */
static int32_t back_up(search_t *s) {
    for (;;) {
        const int32_t parent = s->tasks[s->frames[s->frame_count - 1].task].parent;
        if (parent < 0) {
            return 0;
        }
        while (s->frame_count > parent + 1) {
            close_frame(s);
        }
        frame_t *const frame = &s->frames[parent];
        const int32_t b = frame->placed;
        take_back(s, frame);
        if (s->problem->pin[b] < 0) {
            change(s, b, s->least[b], s->offset[b]);
            frame->trail_placed = s->trail_count;
            return 1;
        }
    }
}

/* Decide in the top frame, or in one below when that cannot be; returns the task to do next. */
static int32_t advance(search_t *s) {
    for (;;) {
        frame_t *const frame = &s->frames[s->frame_count - 1];
        const int32_t b = choose(s, &s->tasks[frame->task]);
        if (b >= 0) {
            place(s, frame, b);
            return make_tasks(s);
        }
        if (!back_up(s)) {
            return EXHAUSTED;
        }
    }
}

static int32_t run(search_t *s, int64_t limit, const volatile int32_t *stop) {
    int32_t task = 0;
    while (task >= 0) {
        if (s->worked >= limit || *stop) {
            return NACRE_SOLVER_LIMIT;
        }
        if (s->pool_used + s->tasks[task].count > s->pool_room) {
            return NACRE_SOLVER_MEMORY;
        }
        open_frame(s, task);
        task = advance(s);
    }
    return task == NOTHING ? NACRE_SOLVER_FOUND : NACRE_SOLVER_NONE;
}

#define WORDS(type, count) ((int64_t)(count) * (int64_t)(sizeof(type) / sizeof(int32_t)))

/* Pending and open tasks have a member each; a pair is placed once, and a buffer waits at most once
 * before and once after each placement beside it. */
static int64_t task_room(const nacre_solver_problem_t *p) {
    return 2 * (int64_t)p->count + 1;
}

static int64_t trail_room(const nacre_solver_problem_t *p) {
    return (int64_t)p->edge_start[p->count] + p->count + 1;
}

static int64_t fixed_words(const nacre_solver_problem_t *p) {
    return WORDS(task_t, task_room(p)) + WORDS(frame_t, (int64_t)p->count + 1) +
           WORDS(change_t, trail_room(p)) + 4 * (int64_t)p->count + 2 * ((int64_t)p->slices + 1);
}

int64_t nacre_solver_words(const nacre_solver_problem_t *problem) {
    const int64_t count = problem->count;
    return fixed_words(problem) + count * (count + 3) / 2;
}

static int32_t *take(int32_t **memory, int64_t words) {
    int32_t *const taken = *memory;
    *memory += words;
    return taken;
}

static void lay_out(search_t *s, int32_t *memory, int64_t words) {
    const nacre_solver_problem_t *p = s->problem;
    const int64_t room = words - fixed_words(p);
    s->tasks = (task_t *)(void *)take(&memory, WORDS(task_t, task_room(p)));
    s->frames = (frame_t *)(void *)take(&memory, WORDS(frame_t, (int64_t)p->count + 1));
    s->trail = (change_t *)(void *)take(&memory, WORDS(change_t, trail_room(p)));
    s->least = take(&memory, p->count);
    s->waiting = take(&memory, p->count);
    s->head = take(&memory, p->count);
    s->open = take(&memory, p->count);
    s->joins = take(&memory, (int64_t)p->slices + 1);
    s->filled = take(&memory, (int64_t)p->slices + 1);
    s->pool = memory;
    s->pool_room = room > INT32_MAX / 2 ? INT32_MAX / 2 : (int32_t)room;
}

static void begin(search_t *s) {
    const nacre_solver_problem_t *p = s->problem;
    const task_t whole = {0, p->count, -1, NOTHING};
    for (int32_t t = 0; t <= p->slices; ++t) {
        s->joins[t] = 0;
    }
    for (int32_t b = 0; b < p->count; ++b) {
        s->least[b] = p->pin[b] >= 0 ? p->pin[b] : 0;
        s->waiting[b] = -1;
        s->open[b] = 1;
        s->pool[b] = b;
        count_joins(s, b, 1);
    }
    s->tasks[0] = whole;
    s->task_count = 1;
    s->pool_used = p->count;
}

int32_t nacre_solver_search(const nacre_solver_problem_t *problem, const int32_t *rank,
                            int32_t height, int64_t limit, const volatile int32_t *stop,
                            int32_t *memory, int64_t words, int32_t *offset, int64_t *worked) {
    search_t s = {0};
    s.problem = problem;
    s.rank = rank;
    s.height = height;
    s.offset = offset;
    *worked = 0;
    if (words < fixed_words(problem) + problem->count) {
        return NACRE_SOLVER_MEMORY;
    }
    lay_out(&s, memory, words);
    begin(&s);
    const int32_t status = problem->count > 0 ? run(&s, limit, stop) : NACRE_SOLVER_FOUND;
    *worked = s.worked;
    return status;
}
