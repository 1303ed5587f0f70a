/* SPDX-License-Identifier: Apache-2.0 */
/* Exact search for buffer offsets below a given height; the oracle is planner/exact.py. */
#ifndef NACRE_SOLVER_OFFSETS_H
#define NACRE_SOLVER_OFFSETS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Buffers b in [0, count) are alive over slices [first[b], last[b]) of time. All sizes, steps
 * (alignments), pins and gaps are in one unit, at most 2^29; sums stay below 2^31.
 *
 * Edge e of buffer b, e in [edge_start[b], edge_start[b + 1]): buffer edge_to[e] is alive together
 * with b and, when it is the upper of the two, offset[edge_to[e]] >= offset[b] + edge_gap[e].
 * Gaps are >= 0 and every edge has its reverse.
 *
 * weight[weight_start[b] + t - first[b]]: bytes that b adds to slice t for certain, i.e. its size
 * less what it may share there. weight = NULL: sizes count in full.
 */
typedef struct {
    int32_t count;
    int32_t slices;
    const int32_t *size;
    const int32_t *first;
    const int32_t *last;
    const int32_t *step;
    const int32_t *pin;  /* fixed offset, or -1 */
    const int32_t *rank; /* a permutation: who goes first among equal offsets */
    const int32_t *edge_start;
    const int32_t *edge_to;
    const int32_t *edge_gap;
    const int32_t *weight_start;
    const int32_t *weight;
    int32_t ordered; /* 1: no gap is 0, so buffers at one offset may be taken in order of rank */
    int32_t pinned;  /* 1: some pin is >= 0 */
} nacre_solver_problem_t;

typedef enum {
    NACRE_SOLVER_FOUND = 0,  /* offset[] holds a solution */
    NACRE_SOLVER_NONE = 1,   /* the search was exhausted: there is none (see exact.py for when) */
    NACRE_SOLVER_LIMIT = 2,  /* the work limit was reached, or *stop became nonzero */
    NACRE_SOLVER_MEMORY = 3  /* the work memory is too small */
} nacre_solver_status_t;

/* Words of work memory with which NACRE_SOLVER_MEMORY is impossible. */
int64_t nacre_solver_words(int32_t count, int32_t slices, int64_t edges);

/* Look for offsets with offset[b] + size[b] <= height. `worked` receives the work done. */
int32_t nacre_solver_search(const nacre_solver_problem_t *problem, int32_t height, int64_t limit,
                            const volatile int32_t *stop, int32_t *memory, int64_t words,
                            int32_t *offset, int64_t *worked);

#ifdef __cplusplus
}
#endif

#endif
