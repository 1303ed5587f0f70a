/* SPDX-License-Identifier: Apache-2.0 */
/* Exact search for buffer offsets: place the lowest open buffer, or pass it over until another lies
 * below it; planner/exact.py explains the rules and is the oracle. */
#include "offsets.h"

#include "state.h"

#define NOTHING (-1)   /* no task is left to do: a solution */
#define EXHAUSTED (-2) /* no decision is left to change */
#define FULL (-3)      /* the work memory is used up */

/* 1 when a decision on b cannot overfill the trail or the pool: per neighbour two changes and a
 * set, a set for b, and the members that are left. */
static int32_t has_room(const search_t *s, const task_t *task, int32_t b) {
    const int64_t degree = s->problem->edge_start[b + 1] - s->problem->edge_start[b];
    return s->trail_count + 2 * degree + 1 <= s->trail_room &&
           s->pool_used + (degree + 1) * s->set_words + task->count <= s->pool_room;
}

/* A copy of the conflict, kept in the pool. */
static int32_t keep_conflict(search_t *s) {
    const int32_t set = s->pool_used;
    for (int32_t i = 0; i < s->set_words; ++i) {
        s->pool[set + i] = (int32_t)s->conflict[i];
    }
    s->pool_used += s->set_words;
    return set;
}

static change_t *record(search_t *s, int32_t b) {
    change_t *const change = &s->trail[s->trail_count++];
    change->buffer = b;
    change->before = s->known[b];
    change->frame = s->frame_count - 1;
    change->chained = 0;
    change->extra = -1;
    return change;
}

static void undo_changes(search_t *s, int32_t trail_count) {
    while (s->trail_count > trail_count) {
        const change_t *const change = &s->trail[--s->trail_count];
        s->known[change->buffer] = change->before;
    }
}

static void count_joins(search_t *s, int32_t b, int32_t by) {
    for (int32_t t = s->problem->first[b] + 1; t < s->problem->last[b]; ++t) {
        s->joins[t] += by;
    }
}

/* `other` goes above the buffer placed at `offset`, for it could not go below: by its size alone
 * (`gap` > offset), by what raised it before, or because it waits. Where it could start there too
 * (gap 0), its being above is the decision itself. */
static void lift(search_t *s, int32_t other, int32_t offset, int32_t gap, int32_t least) {
    change_t *const change = record(s, other);
    if (gap <= offset && s->head[other] > offset - gap) {
        change->chained = 1;
        if (change->before.least <= offset - gap) {
            nacre_solver_clear_conflict(s);
            nacre_solver_blame_head(s, other);
            change->extra = keep_conflict(s);
        }
    }
    s->known[other].least = least;
    s->known[other].cause = s->trail_count - 1;
}

/* Whoever waits for a neighbour to come below it does so no more once one has. */
static void place(search_t *s, frame_t *frame, int32_t b) {
    const nacre_solver_problem_t *p = s->problem;
    const int32_t offset = s->head[b];
    frame->placed = b;
    frame->trail_placed = s->trail_count;
    s->offset[b] = offset;
    s->open[b] = 0;
    s->frame_of[b] = s->frame_count - 1;
    count_joins(s, b, -1);
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        const int32_t other = p->edge_to[e];
        if (!s->open[other]) {
            continue;
        }
        /* The gap with `other` below is our edge downwards: the pair has one gap per order. */
        const int32_t gap = p->edge_down[e];
        const int32_t least = aligned(offset + p->edge_up[e], p->step[other]);
        if (least > s->known[other].least) {
            lift(s, other, offset, gap, least);
        }
        if (s->known[other].waiting >= 0 && offset < s->known[other].waiting + gap) {
            record(s, other);
            s->known[other].waiting = -1;
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

/* Take the frame out of the conflict; returns whether it was in. */
static int32_t acquit(search_t *s, int32_t frame) {
    const uint32_t bit = (uint32_t)1 << (frame % 32);
    const int32_t blamed = (s->conflict[frame / 32] & bit) != 0;
    s->conflict[frame / 32] &= ~bit;
    return blamed;
}

/* `b` of the top frame cannot lie where it was placed: it waits, on account of the conflict. */
static void pass_over(search_t *s, int32_t b) {
    frame_t *const frame = &s->frames[s->frame_count - 1];
    nacre_solver_blame_least(s, b);
    record(s, b);
    s->known[b].waiting = s->offset[b];
    s->known[b].wait_frame = s->frame_count - 1;
    s->known[b].wait_set = keep_conflict(s);
    frame->trail_placed = s->trail_count;
    frame->pool_used = s->pool_used;
}

/* The task of the top frame failed: close frames down to one whose placement is to blame and can be
 * changed. Returns 0 when there is none. */
static int32_t back_up(search_t *s) {
    for (;;) {
        const int32_t parent = s->tasks[s->frames[s->frame_count - 1].task].parent;
        if (parent < 0) {
            return 0;
        }
        while (s->frame_count > parent + 1) {
            close_frame(s);
        }
        const int32_t b = s->frames[parent].placed;
        take_back(s, &s->frames[parent]);
        if (acquit(s, parent) && s->problem->pin[b] < 0) {
            pass_over(s, b);
            return 1;
        }
    }
}

/* Decide in the top frame, or in one below when that cannot be; returns the task to do next. */
static int32_t advance(search_t *s) {
    for (;;) {
        frame_t *const frame = &s->frames[s->frame_count - 1];
        const task_t *const task = &s->tasks[frame->task];
        const int32_t b = nacre_solver_choose(s, task);
        if (b >= 0) {
            if (!has_room(s, task, b)) {
                return FULL;
            }
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
        open_frame(s, task);
        task = advance(s);
    }
    if (task == FULL) {
        return NACRE_SOLVER_MEMORY;
    }
    return task == NOTHING ? NACRE_SOLVER_FOUND : NACRE_SOLVER_NONE;
}

#define WORDS(type, count) ((int64_t)(count) * (int64_t)(sizeof(type) / sizeof(int32_t)))

static int64_t set_words(const nacre_solver_problem_t *p) {
    return p->count / 32 + 1;
}

/* Pending and open tasks have a member each. */
static int64_t task_room(const nacre_solver_problem_t *p) {
    return 2 * (int64_t)p->count + 1;
}

/* A pair changes when one of the two is placed; waiting buffers come on top. */
static int64_t trail_room(const nacre_solver_problem_t *p) {
    return (int64_t)p->edge_start[p->count] + 8 * (int64_t)p->count + 1;
}

static int64_t fixed_words(const nacre_solver_problem_t *p) {
    return WORDS(task_t, task_room(p)) + WORDS(frame_t, (int64_t)p->count + 1) +
           WORDS(change_t, trail_room(p)) + WORDS(known_t, p->count) + 5 * (int64_t)p->count +
           2 * ((int64_t)p->slices + 1) + set_words(p);
}

int64_t nacre_solver_words(const nacre_solver_problem_t *problem) {
    const int64_t count = problem->count;
    return fixed_words(problem) + count * (count + 3) / 2 + 16 * count * set_words(problem);
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
    s->known = (known_t *)(void *)take(&memory, WORDS(known_t, p->count));
    s->head = take(&memory, p->count);
    s->open = take(&memory, p->count);
    s->frame_of = take(&memory, p->count);
    s->marked = take(&memory, p->count);
    s->queue = take(&memory, p->count);
    s->joins = take(&memory, (int64_t)p->slices + 1);
    s->filled = take(&memory, (int64_t)p->slices + 1);
    s->conflict = (uint32_t *)take(&memory, set_words(p));
    s->pool = memory;
    s->trail_room = (int32_t)trail_room(p);
    s->set_words = (int32_t)set_words(p);
    s->pool_room = room > INT32_MAX / 2 ? INT32_MAX / 2 : (int32_t)room;
}

static void begin(search_t *s) {
    const nacre_solver_problem_t *p = s->problem;
    const task_t whole = {0, p->count, -1, NOTHING};
    for (int32_t t = 0; t <= p->slices; ++t) {
        s->joins[t] = 0;
    }
    for (int32_t b = 0; b < p->count; ++b) {
        const known_t known = {p->pin[b] >= 0 ? p->pin[b] : 0, -1, -1, -1, -1};
        s->known[b] = known;
        s->open[b] = 1;
        s->marked[b] = 0;
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
