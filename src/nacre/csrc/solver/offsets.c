/* SPDX-License-Identifier: Apache-2.0 */
/* Exact search for buffer offsets: buffers are placed from low to high offsets, with backtracking.
 *
 * A solution can be pushed down until every buffer lies at the least offset that the buffers below
 * it allow, so it is enough to place buffers in order of offset, each at that least offset.
 * Components of time that no open buffer joins are independent tasks: when one of them fails, the
 * frame that created it fails, whatever became of its siblings. */
#include "offsets.h"

#include <stddef.h>

#define FAR INT32_MAX

typedef struct {
    int32_t members; /* index into the pool */
    int32_t count;
    int32_t level;  /* offset of the buffer placed last: no further one goes below */
    int32_t last;   /* that buffer, or -1 */
    int32_t parent; /* frame that created the task, or -1 */
    int32_t next;   /* task to do after this one, or -1 */
} task_t;

typedef struct {
    int32_t choices; /* index into the pool: candidates, in the order to try */
    int32_t choice_count;
    int32_t tried;
    int32_t task;
    int32_t placed; /* buffer, or -1 */
    int32_t trail_count;
    int32_t task_count;
    int32_t pool_used;
} frame_t;

typedef struct {
    const nacre_solver_problem_t *problem;
    const int32_t *rank;
    int32_t height;
    int32_t *least;   /* per buffer: least offset that the placed neighbours allow */
    int32_t *head;    /* per buffer of the task at hand: a bound on its offset */
    int32_t *open;    /* per buffer: 1 until placed */
    int32_t *joins;   /* per slice t: open buffers that are alive in both t - 1 and t */
    int32_t *filled;  /* per slice: scratch of the capacity test */
    int32_t *skipped; /* scratch: members that cannot come next, then their lifted heads */
    int32_t *trail;   /* pairs (buffer, least offset before) */
    int32_t trail_count;
    task_t *tasks;
    int32_t task_count;
    frame_t *frames;
    int32_t frame_count;
    int32_t *pool; /* members and choices of the frames */
    int32_t pool_used;
    int32_t pool_room;
    int32_t *offset;
    int64_t worked;
} search_t;

static int32_t *members_of(const search_t *s, const task_t *task) {
    return s->pool + task->members;
}

static int32_t aligned(int32_t offset, int32_t step) {
    const int32_t over = step == 1 ? 0 : offset % step;
    return over ? offset + (step - over) : offset;
}

/* 1 when b, placed at its head, would run into a pinned buffer that is still open. */
static int32_t meets_pin(const search_t *s, int32_t b) {
    const nacre_solver_problem_t *p = s->problem;
    if (p->pin[b] >= 0) {
        return 0;
    }
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        const int32_t other = p->edge_to[e];
        if (s->open[other] && p->pin[other] >= 0 && p->pin[other] < s->head[b] + p->edge_up[e]) {
            return 1;
        }
    }
    return 0;
}

/* head = max(least, level). Returns 0 when a pin or the height is out of reach. */
static int32_t find_heads(search_t *s, const task_t *task) {
    const int32_t *const members = members_of(s, task);
    const nacre_solver_problem_t *p = s->problem;
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = members[i];
        const int32_t level = aligned(task->level, p->step[b]);
        const int32_t head = s->least[b] > level ? s->least[b] : level;
        if (head + p->size[b] > s->height || (p->pin[b] >= 0 && head > p->pin[b])) {
            return 0;
        }
        s->head[b] = head;
    }
    return 1;
}

/* Whoever starts at or after the first end leaves a hole that its owner could have filled. */
static int32_t first_end(const search_t *s, const task_t *task) {
    const int32_t *const members = members_of(s, task);
    int32_t best = FAR;
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = members[i];
        const int32_t end = s->head[b] + s->problem->size[b];
        if (end < best && !(s->problem->pinned && meets_pin(s, b))) {
            best = end;
        }
    }
    return best;
}

/* A member that was passed over waits until a neighbour lifts it: placed as it is, it would only
 * repeat a solution that is met elsewhere. */
static int32_t is_skipped(const search_t *s, const task_t *task, int32_t b) {
    if (task->last < 0 || s->problem->pin[b] >= 0 || s->least[b] > task->level) {
        return 0;
    }
    return s->least[b] < task->level ||
           (s->problem->ordered && s->rank[b] < s->rank[task->last]);
}

static int32_t lifted(const search_t *s, int32_t b) {
    const nacre_solver_problem_t *p = s->problem;
    int32_t best = FAR;
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        const int32_t other = p->edge_to[e];
        if (s->open[other] && s->head[other] + p->edge_down[e] < best) {
            best = s->head[other] + p->edge_down[e];
        }
    }
    return best == FAR ? FAR : aligned(best, p->step[b]);
}

/* Raise the heads of skipped members. Returns 0 when one of them can never be placed. */
static int32_t lift_skipped(search_t *s, const task_t *task) {
    const int32_t *const members = members_of(s, task);
    int32_t count = 0;
    int32_t *const heads = s->skipped + task->count;
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = members[i];
        if (is_skipped(s, task, b)) {
            heads[count] = lifted(s, b);
            if (heads[count] > s->height - s->problem->size[b]) {
                return 0;
            }
            s->skipped[count++] = b;
        }
    }
    for (int32_t i = 0; i < count; ++i) {
        if (heads[i] > s->head[s->skipped[i]]) {
            s->head[s->skipped[i]] = heads[i];
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

/* In each slice, live members one after the other, none below its head: 1 if that is too high.
 *     slice t   |level  |---a---|  gap  |--b--|-c-|     height|
 *                        ^head a         ^head b     */
static int32_t is_crowded(search_t *s, const task_t *task) {
    const int32_t *const members = members_of(s, task);
    const nacre_solver_problem_t *p = s->problem;
    int32_t from = p->slices;
    int32_t to = 0;
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = members[i];
        from = p->first[b] < from ? p->first[b] : from;
        to = p->last[b] > to ? p->last[b] : to;
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

static int32_t comes_before(const search_t *s, int32_t a, int32_t b) {
    return s->head[a] != s->head[b] ? s->head[a] < s->head[b] : s->rank[a] < s->rank[b];
}

static void find_choices(search_t *s, const task_t *task, frame_t *frame, int32_t end) {
    const int32_t *const members = members_of(s, task);
    int32_t *const choices = s->pool + s->pool_used;
    frame->choices = s->pool_used;
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = members[i];
        if (s->head[b] >= end || is_skipped(s, task, b)) {
            continue;
        }
        int32_t k = frame->choice_count++;
        for (; k > 0 && comes_before(s, b, choices[k - 1]); --k) {
            choices[k] = choices[k - 1];
        }
        choices[k] = b;
    }
    s->pool_used += frame->choice_count;
}

/* Open a frame for a task; it has no choices when the task cannot be done. */
static void open_frame(search_t *s, int32_t task_index) {
    frame_t *const frame = &s->frames[s->frame_count++];
    const task_t *const task = &s->tasks[task_index];
    frame->choice_count = 0;
    frame->tried = 0;
    frame->task = task_index;
    frame->placed = -1;
    frame->trail_count = s->trail_count;
    frame->task_count = s->task_count;
    frame->pool_used = s->pool_used;
    s->worked += task->count;
    if (!find_heads(s, task)) {
        return;
    }
    const int32_t end = first_end(s, task);
    if (!lift_skipped(s, task)) {
        return;
    }
    sort_by_head(s, task);
    if (!is_crowded(s, task)) {
        find_choices(s, task, frame, end);
    }
}

static void count_joins(search_t *s, int32_t b, int32_t by) {
    for (int32_t t = s->problem->first[b] + 1; t < s->problem->last[b]; ++t) {
        s->joins[t] += by;
    }
}

static void place(search_t *s, frame_t *frame, int32_t b) {
    const nacre_solver_problem_t *p = s->problem;
    const int32_t offset = s->least[b];
    frame->placed = b;
    s->offset[b] = offset;
    s->open[b] = 0;
    count_joins(s, b, -1);
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        const int32_t other = p->edge_to[e];
        const int32_t least = offset + p->edge_up[e];
        if (s->open[other] && s->least[other] < least) {
            s->trail[2 * s->trail_count] = other;
            s->trail[2 * s->trail_count + 1] = s->least[other];
            ++s->trail_count;
            s->least[other] = aligned(least, p->step[other]);
        }
    }
}

static void take_back(search_t *s, frame_t *frame) {
    while (s->trail_count > frame->trail_count) {
        --s->trail_count;
        s->least[s->trail[2 * s->trail_count]] = s->trail[2 * s->trail_count + 1];
    }
    if (frame->placed >= 0) {
        count_joins(s, frame->placed, 1);
        s->open[frame->placed] = 1;
        frame->placed = -1;
    }
    s->task_count = frame->task_count;
    s->pool_used = frame->pool_used + frame->choice_count;
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
    task_t task = {s->pool_used, 0, s->offset[frame->placed], frame->placed, s->frame_count - 1, -1};
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

/* Undo everything above frame `index`, and its own placement. */
static void return_to(search_t *s, int32_t index) {
    while (s->frame_count > index + 1) {
        take_back(s, &s->frames[--s->frame_count]);
    }
    take_back(s, &s->frames[index]);
}

/* Place the next choice of the frame at the top, or of the frame that created its task, and so on.
 * Returns the task to do next, -1 when nothing is left to do, -2 when nothing is left to try. */
static int32_t advance(search_t *s) {
    for (;;) {
        frame_t *const frame = &s->frames[s->frame_count - 1];
        if (frame->tried < frame->choice_count) {
            place(s, frame, s->pool[frame->choices + frame->tried++]);
            return make_tasks(s);
        }
        const int32_t parent = s->tasks[frame->task].parent;
        if (parent < 0) {
            return -2;
        }
        return_to(s, parent);
    }
}

static int32_t run(search_t *s, int64_t limit, const volatile int32_t *stop) {
    int32_t task = 0;
    while (task >= 0) {
        if (s->worked >= limit || *stop) {
            return NACRE_SOLVER_LIMIT;
        }
        if (s->pool_used + 2 * s->tasks[task].count > s->pool_room) {
            return NACRE_SOLVER_MEMORY;
        }
        open_frame(s, task);
        task = advance(s);
    }
    return task == -1 ? NACRE_SOLVER_FOUND : NACRE_SOLVER_NONE;
}

static int64_t fixed_words(const nacre_solver_problem_t *p) {
    const int64_t task_words = (int64_t)(sizeof(task_t) / sizeof(int32_t));
    const int64_t frame_words = (int64_t)(sizeof(frame_t) / sizeof(int32_t));
    return 5 * (int64_t)p->count + 2 * ((int64_t)p->slices + 1) + p->edge_start[p->count] +
           (2 * (int64_t)p->count + 1) * task_words + ((int64_t)p->count + 1) * frame_words;
}

int64_t nacre_solver_words(const nacre_solver_problem_t *problem) {
    const int64_t count = problem->count;
    return fixed_words(problem) + count * (count + 3);
}

static int32_t *take(int32_t **memory, int64_t words) {
    int32_t *const taken = *memory;
    *memory += words;
    return taken;
}

static void lay_out(search_t *s, int32_t *memory, int64_t words) {
    const nacre_solver_problem_t *p = s->problem;
    const int64_t room = words - fixed_words(p);
    s->tasks = (task_t *)(void *)take(
        &memory, (2 * (int64_t)p->count + 1) * (int64_t)(sizeof(task_t) / sizeof(int32_t)));
    s->frames = (frame_t *)(void *)take(
        &memory, ((int64_t)p->count + 1) * (int64_t)(sizeof(frame_t) / sizeof(int32_t)));
    s->least = take(&memory, p->count);
    s->head = take(&memory, p->count);
    s->open = take(&memory, p->count);
    s->skipped = take(&memory, 2 * (int64_t)p->count);
    s->joins = take(&memory, (int64_t)p->slices + 1);
    s->filled = take(&memory, (int64_t)p->slices + 1);
    s->trail = take(&memory, p->edge_start[p->count]);
    s->pool = memory;
    s->pool_room = room > INT32_MAX / 2 ? INT32_MAX / 2 : (int32_t)room;
}

static void begin(search_t *s) {
    const nacre_solver_problem_t *p = s->problem;
    for (int32_t t = 0; t <= p->slices; ++t) {
        s->joins[t] = 0;
    }
    for (int32_t b = 0; b < p->count; ++b) {
        s->least[b] = p->pin[b] >= 0 ? p->pin[b] : 0;
        s->open[b] = 1;
        s->pool[b] = b;
        count_joins(s, b, 1);
    }
    const task_t whole = {0, p->count, 0, -1, -1, -1};
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
