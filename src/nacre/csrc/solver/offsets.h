/* SPDX-License-Identifier: Apache-2.0 */
/* Exact search for buffer offsets below a given height; planner/exact.py is its oracle. */
#ifndef NACRE_SOLVER_OFFSETS_H
#define NACRE_SOLVER_OFFSETS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Buffers b in [0, count) are alive over slices [first[b], last[b]) of time. Sizes, steps
 * (alignments), pins and gaps have one unit; heights, and live bytes of a slice, are below 2^29.
 *
 * Edge e of buffer b, e in [edge_start[b], edge_start[b + 1]): edge_to[e] is alive with b, and
 *     offset[edge_to[e]] >= offset[b] + edge_up[e]      when b is the lower of the two,
 *     offset[b] >= offset[edge_to[e]] + edge_down[e]    when b is the upper.
 * Gaps are >= 0 and every edge has its reverse.
 *
 * weight[weight_start[b] + t - first[b]]: bytes that b adds to slice t for certain, i.e. its size
 * less what it may share there. weight == NULL: sizes count in full.
 */
typedef struct {
    int32_t count;
    int32_t slices;
    int32_t pinned; /* 1: some pin is >= 0 */
    const int32_t *size;
    const int32_t *first;
    const int32_t *last;
    const int32_t *step;
    const int32_t *pin; /* fixed offset, or -1 */
    const int32_t *edge_start;
    const int32_t *edge_to;
    const int32_t *edge_up;
    const int32_t *edge_down;
    const int32_t *weight_start;
    const int32_t *weight;
} nacre_solver_problem_t;

typedef enum {
    NACRE_SOLVER_FOUND = 0, /* offset[] holds a solution */
    NACRE_SOLVER_NONE = 1,  /* the search space is exhausted (exact.py: when that is a proof) */
    NACRE_SOLVER_LIMIT = 2, /* the work limit was reached, or *stop became nonzero */
    NACRE_SOLVER_MEMORY = 3 /* the work memory is too small */
} nacre_solver_status_t;

/* Words of work memory that suffice. */
int64_t nacre_solver_words(const nacre_solver_problem_t *problem);

/*
 * Look for offsets with offset[b] + size[b] <= height.
 * rank: a permutation, the order in which to try buffers that could start at the same offset.
 * limit: work units, one per member of each task looked at; *worked receives the number done.
 */
int32_t nacre_solver_search(const nacre_solver_problem_t *problem, const int32_t *rank,
                            int32_t height, int64_t limit, const volatile int32_t *stop,
                            int32_t *memory, int64_t words, int32_t *offset, int64_t *worked);

#ifdef __cplusplus
}
#endif

#endif
