/* SPDX-License-Identifier: Apache-2.0 */
/* Why an offset cannot be lower: the set of frames whose placements force it. */
#include "state.h"

static void add_frame(search_t *s, int32_t frame) {
    s->conflict[frame / 32] |= (uint32_t)1 << (frame % 32);
}

static void add_set(search_t *s, int32_t set) {
    for (int32_t i = 0; i < s->set_words; ++i) {
        s->conflict[i] |= (uint32_t)s->pool[set + i];
    }
}

void nacre_solver_clear_conflict(search_t *s) {
    ++s->mark;
    for (int32_t i = 0; i < s->set_words; ++i) {
        s->conflict[i] = 0;
    }
}

/* The placements that raised b, each above the one before. */
void nacre_solver_blame_least(search_t *s, int32_t b) {
    for (int32_t at = s->known[b].cause; at >= 0;) {
        const change_t *const change = &s->trail[at];
        add_frame(s, change->frame);
        if (change->extra >= 0) {
            add_set(s, change->extra);
        }
        at = change->chained ? change->before.cause : -1;
    }
}

static void enqueue(search_t *s, int32_t *count, int32_t b) {
    if (s->marked[b] != s->mark) {
        s->marked[b] = s->mark;
        s->queue[(*count)++] = b;
    }
}

/* A waiting buffer is above the lowest of its neighbours: each is blamed, for where it lies if it
 * was placed before, else for how low it could go. */
static void blame_neighbours(search_t *s, int32_t b, int32_t *count) {
    const nacre_solver_problem_t *p = s->problem;
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        const int32_t other = p->edge_to[e];
        if (s->open[other]) {
            enqueue(s, count, other);
        } else if (s->frame_of[other] < s->known[b].wait_frame) {
            add_frame(s, s->frame_of[other]);
        } else {
            nacre_solver_blame_least(s, other);
        }
    }
}

void nacre_solver_blame_head(search_t *s, int32_t b) {
    int32_t count = 0;
    enqueue(s, &count, b);
    for (int32_t i = 0; i < count; ++i) {
        const int32_t one = s->queue[i];
        nacre_solver_blame_least(s, one);
        if (s->known[one].waiting >= 0) {
            add_set(s, s->known[one].wait_set);
            blame_neighbours(s, one, &count);
        }
    }
}
