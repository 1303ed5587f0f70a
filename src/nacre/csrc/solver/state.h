/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a search, private to the solver. */
#ifndef NACRE_SOLVER_STATE_H
#define NACRE_SOLVER_STATE_H

#include "offsets.h"

#define NACRE_SOLVER_FAR INT32_MAX

/* Open buffers that are joined in time, to be placed without regard to any other. */
typedef struct {
    int32_t members; /* index into the pool */
    int32_t count;
    int32_t parent; /* frame that created the task, or -1 */
    int32_t next;   /* task to do after this one, or -1 */
} task_t;

/* The decision made for a task: the buffer placed, after others were passed over. */
typedef struct {
    int32_t task;
    int32_t placed;       /* buffer, or -1 */
    int32_t trail_opened; /* length of the trail when the frame was opened */
    int32_t trail_placed; /* ... and before the placement: between them, buffers passed over */
    int32_t task_count;
    int32_t pool_used;
} frame_t;

/* What is known of an open buffer. */
typedef struct {
    int32_t least;      /* least offset that the placed neighbours allow */
    int32_t cause;      /* change that raised `least` last, or -1 */
    int32_t waiting;    /* the offset at which it was passed over, or -1 */
    int32_t wait_frame; /* frame in which it was */
    int32_t wait_set;   /* pool index of the set of frames that forbid that offset */
} known_t;

/* An entry of the trail. For one that raised `least`: the frame to blame, whether what raised it
 * before is to blame too, and a set of further frames (pool index, or -1). */
typedef struct {
    int32_t buffer;
    known_t before;
    int32_t frame;
    int32_t chained;
    int32_t extra;
} change_t;

typedef struct {
    const nacre_solver_problem_t *problem;
    const int32_t *rank;
    int32_t height;
    known_t *known;
    int32_t *head;     /* per member of the task at hand: a bound on its offset */
    int32_t *open;     /* per buffer: 1 until placed */
    int32_t *frame_of; /* per placed buffer */
    int32_t *offset;   /* per buffer: where it was placed last */
    int32_t *joins;    /* per slice t: open buffers that are alive in both t - 1 and t */
    int32_t *filled;   /* per slice: scratch of the capacity test */
    int32_t *marked;   /* per buffer: the mark of the last explanation that reached it */
    int32_t *queue;    /* scratch of explanations */
    int32_t mark;
    uint32_t *conflict; /* set of frames: why the last task failed */
    int32_t set_words;  /* of a set of frames */
    change_t *trail;
    int32_t trail_count;
    int32_t trail_room;
    task_t *tasks;
    int32_t task_count;
    frame_t *frames;
    int32_t frame_count;
    int32_t *pool; /* members of tasks, sets of frames */
    int32_t pool_used;
    int32_t pool_room;
    int64_t worked;
} search_t;

static inline int32_t *members_of(const search_t *s, const task_t *task) {
    return s->pool + task->members;
}

static inline int32_t aligned(int32_t offset, int32_t step) {
    const int32_t over = step == 1 ? 0 : offset % step;
    return over ? offset + (step - over) : offset;
}

/* The buffer to decide on; or -1 when the task cannot be done, for the reason in `conflict`. */
int32_t nacre_solver_choose(search_t *s, const task_t *task);

/* Start an empty conflict, then add why a buffer's offset is at least its head or its least. */
void nacre_solver_clear_conflict(search_t *s);
void nacre_solver_blame_head(search_t *s, int32_t b);
void nacre_solver_blame_least(search_t *s, int32_t b);

#endif
