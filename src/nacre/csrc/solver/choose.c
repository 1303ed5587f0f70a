/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds on the offsets of open buffers, and which of them to place next. */
#include "state.h"

/* The least offset for a waiting buffer: above one of those that may still come below it. */
static int32_t lifted(const search_t *s, int32_t b) {
    const nacre_solver_problem_t *p = s->problem;
    int32_t best = NACRE_SOLVER_FAR;
    for (int32_t e = p->edge_start[b]; e < p->edge_start[b + 1]; ++e) {
        const int32_t other = p->edge_to[e];
        const int32_t head = s->head[other];
        if (s->open[other] && head + p->edge_down[e] < best &&
            head < s->known[b].waiting + p->edge_up[e]) {
            best = head + p->edge_down[e];
        }
    }
    return best == NACRE_SOLVER_FAR ? NACRE_SOLVER_FAR : aligned(best, p->step[b]);
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
    if (s->known[b].waiting >= 0) {
        const int32_t lift = lifted(s, b);
        head = lift > head ? lift : head;
    }
    if (p->pinned && head != NACRE_SOLVER_FAR) {
        const int32_t past = past_pins(s, b);
        head = past > head ? past : head;
    }
    if (head == s->head[b]) {
        return 0;
    }
    s->head[b] = head;
    return 1;
}

/* 1 when b fits nowhere at or above its head; that is then the conflict. */
static int32_t is_too_high(search_t *s, int32_t b) {
    const int32_t pin = s->problem->pin[b];
    if (s->head[b] <= s->height - s->problem->size[b] && (pin < 0 || s->head[b] <= pin)) {
        return 0;
    }
    nacre_solver_clear_conflict(s);
    nacre_solver_blame_head(s, b);
    return 1;
}

/* Bounds on the members' offsets. Returns 0 when one of them passes the height or its pin. */
static int32_t find_heads(search_t *s, const task_t *task) {
    const int32_t *const members = members_of(s, task);
    for (int32_t i = 0; i < task->count; ++i) {
        s->head[members[i]] = s->known[members[i]].least;
    }
    for (int32_t i = 0; i < task->count; ++i) {
        if (is_too_high(s, members[i])) {
            return 0;
        }
    }
    for (int32_t moved = 1; moved;) {
        moved = 0;
        for (int32_t i = 0; i < task->count; ++i) {
            if (raise(s, members[i])) {
                moved = 1;
                if (is_too_high(s, members[i])) {
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

/* Members that are live in the slice, from the last gap below the top on, are the conflict. */
static void blame_slice(search_t *s, const task_t *task, int32_t slice) {
    const nacre_solver_problem_t *p = s->problem;
    const int32_t *const members = members_of(s, task);
    int32_t top = 0;
    int32_t from = 0;
    nacre_solver_clear_conflict(s);
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = members[i];
        if (p->first[b] <= slice && slice < p->last[b]) {
            if (s->head[b] > top) {
                from = s->head[b];
                top = from;
            }
            top += p->weight ? p->weight[p->weight_start[b] + slice - p->first[b]] : p->size[b];
        }
    }
    for (int32_t i = 0; i < task->count; ++i) {
        const int32_t b = members[i];
        if (p->first[b] <= slice && slice < p->last[b] && s->head[b] >= from && s->head[b] > 0) {
            nacre_solver_blame_head(s, b);
        }
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
    int32_t fullest = from;
    for (int32_t t = from; t < to; ++t) {
        fullest = s->filled[t] > s->filled[fullest] ? t : fullest;
    }
    if (s->filled[fullest] <= s->height) {
        return 0;
    }
    blame_slice(s, task, fullest);
    return 1;
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
        if (s->known[b].waiting < 0 && (best < 0 || s->rank[b] < s->rank[best])) {
            best = b;
        }
    }
    return best;
}

int32_t nacre_solver_choose(search_t *s, const task_t *task) {
    s->worked += task->count;
    if (!find_heads(s, task)) {
        return -1;
    }
    sort_by_head(s, task);
    return is_crowded(s, task) ? -1 : lowest(s, task);
}
