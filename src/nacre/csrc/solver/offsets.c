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
    int32_t members; /* pool index */
    int32_t count;
    int32_t level;   /* offset of the buffer placed last: no further one goes below */
    int32_t last;    /* that buffer, or -1 */
    int32_t parent;  /* frame that created the task, or -1 */
    int32_t next;    /* task to do after this one, or -1 */
} task_t;

typedef struct {
    task_t task;
    int32_t choices; /* pool index of the candidates, in the order to try */
    int32_t choice_count;
    int32_t tried;
    int32_t placed; /* buffer, or -1 */
    int32_t trail;
    int32_t tasks;
    int32_t pool;
} frame_t;

typedef struct {
    const nacre_solver_problem_t *p;
    int32_t height;
    int32_t *least;   /* per buffer: least offset that the placed neighbours allow */
    int32_t *head;    /* per buffer of the task at hand: a bound on its offset */
    int32_t *open;    /* per buffer: 1 until placed */
    int32_t *joins;   /* per slice t: open buffers alive in both t - 1 and t */
    int32_t *filled;  /* per slice: scratch of the capacity test */
    int32_t *skipped; /* scratch: members that cannot come next */
    int32_t *trail;   /* pairs (buffer, old least) */
    int32_t trail_size;
    int32_t trail_room;
    task_t *tasks;
    int32_t task_count;
    frame_t *frames;
    int32_t frame_count;
    int32_t *pool;
    int64_t pool_size;
    int64_t pool_room;
    int32_t *offset;
} search_t;

static int32_t aligned(int32_t offset, int32_t step) {
    const int32_t over = step == 1 ? 0 : offset % step;
    return over ? offset + (step - over) : offset;
}

static int32_t completion(const search_t *s, int32_t b) {
    return s->head[b] + s->p->size[b];
}

/* 1 when b, placed at its head, would run into a pinned buffer that is still open. */
static int32_t meets_pin(const search_t *s, int32_t b) {
    const nacre_solver_problem_t *p = s->p;
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        const int32_t other = p->edge_to[e];
        if (s->open[other] && p->pin[other] >= 0 && p->pin[b] < 0 &&
            p->pin[other] < s->head[b] + p->edge_gap[e]) {
            return 1;
        }
    }
    return 0;
}

/* head = max(least, level), and the first completion: whoever starts after that leaves a hole
 * that its owner could have filled. Returns -1 when a pin or the height is out of reach. */
static int32_t find_heads(search_t *s, const task_t *task) {
    const nacre_solver_problem_t *p = s->p;
    int32_t first_end = FAR;
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = s->pool[task->members + i];
        const int32_t least = aligned(task->level, p->step[b]);
        s->head[b] = s->least[b] > least ? s->least[b] : least;
        if (completion(s, b) > s->height || (p->pin[b] >= 0 && s->head[b] > p->pin[b])) {
            return -1;
        }
    }
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = s->pool[task->members + i];
        if (completion(s, b) < first_end && !(p->pinned && meets_pin(s, b))) {
            first_end = completion(s, b);
        }
    }
    return first_end;
}

/* A member that was passed over waits until a neighbour lifts it; placed later than its least
 * offset allows, it would only be the mirror of a solution met elsewhere. */
static int32_t is_skipped(const search_t *s, const task_t *task, int32_t b) {
    if (s->p->pin[b] >= 0 || s->least[b] > task->level || task->last < 0) {
        return 0;
    }
    if (s->least[b] < task->level) {
        return 1;
    }
    return s->p->ordered && s->p->rank[b] < s->p->rank[task->last];
}

static int32_t lifted(const search_t *s, int32_t b) {
    const nacre_solver_problem_t *p = s->p;
    int32_t best = FAR;
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        /* The neighbour is below b, so the gap is that of the reverse edge. */
        const int32_t other = p->edge_to[e];
        const int32_t end = s->head[other] + p->edge_gap_reverse[e];
        if (s->open[other] && end < best) {
            best = end;
        }
    }
    return best == FAR ? FAR : aligned(best, p->step[b]);
}
