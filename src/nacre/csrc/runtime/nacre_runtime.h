/* SPDX-License-Identifier: Apache-2.0 */
/* Runs plan files: no heap, no recursion, no globals; everything is checked before the first step.
 *
 *   nacre_plan_t plan;
 *   status = nacre_plan_open(&plan, file, bytes, &nacre_kernels);    the whole file is checked
 *   status = nacre_plan_prepare(&plan, arenas, count);               sizes: nacre_plan_arena_bytes
 *   status = nacre_plan_run(&plan);                                  as often as wanted
 *
 * The file stays where it is and must not change while the plan is open: constants are read there.
 * A plan that was opened can only reach its arenas and its file, whatever the file holds.
 */
#ifndef NACRE_RUNTIME_H
#define NACRE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include "nacre_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Distinct kernels that a plan may use: two bytes of RAM each. */
#ifndef NACRE_MAX_KERNELS
#define NACRE_MAX_KERNELS 64
#endif

#if defined(__GNUC__)
#define NACRE_MUST_CHECK __attribute__((warn_unused_result))
#else
#define NACRE_MUST_CHECK
#endif

#define NACRE_NO_ROWS 0xffu

/* What a call of a kernel sees: where regions begin, parameters, the window of rows. */
typedef struct {
    uint8_t *bases[NACRE_MAX_REGIONS];
    const uint8_t *params;
    int32_t begin;
    int32_t end;
} nacre_frame_t;

struct nacre_check;

/* A kernel that is linked. `arguments` has one letter per argument of the C prototype:
 *   b h w d   pointer to constant elements of 1, 2, 4, 8 bytes; in capitals: written
 *   p         parameter struct       r   window of rows       i f   number */
typedef struct {
    const char *name;
    const char *arguments;
    uint16_t params_bytes[2];
    /* The word of the arguments where the window of rows begins, or NACRE_NO_ROWS. */
    uint8_t rows_at;
    /* Operands may overlap: elements are read before they are written, or rows are apart. */
    uint8_t may_overlap;
    /* Tells kernels apart that share a check. */
    uint8_t variant;
    void (*call)(const nacre_frame_t *frame, const uint32_t *words);
    /* How much each pointer reaches; 0 when the parameters are not possible. */
    int32_t (*check)(struct nacre_check *check);
    /* Are the values of constant tables possible? NULL where any are. */
    int32_t (*check_tables)(struct nacre_check *check);
} nacre_kernel_t;

typedef struct {
    const nacre_kernel_t *kernels;
    uint32_t count;
} nacre_kernel_table_t;

typedef struct {
    void *data;
    size_t bytes;
} nacre_arena_t;

typedef struct {
    void *data; /* NULL where rows go through callbacks */
    size_t bytes;
    uint32_t type; /* NACRE_TYPE_... */
    uint32_t rank;
    const uint32_t *dims;
    float scale;
    int32_t zero_point;
    const char *name; /* "" where the file has no names */
} nacre_tensor_t;

typedef struct {
    const uint8_t *file;
    const nacre_kernel_table_t *table;
    uint32_t state;
    uint32_t inputs;
    uint32_t outputs;
    /* Sections by kind - 1; 16 kinds are known. */
    const uint8_t *sections[16];
    uint32_t counts[16];
    const uint8_t *strings;
    uint32_t strings_bytes;
    uint16_t kernels[NACRE_MAX_KERNELS];
    nacre_frame_t frame;
    /* The caller's: called before each step, and for rows that are not in an arena. */
    void *user;
    void (*on_step)(void *user, uint32_t step);
    int32_t (*input_rows)(void *user, uint32_t input, uint32_t first, uint32_t rows, void *to);
    int32_t (*output_rows)(void *user, uint32_t output, uint32_t first, uint32_t rows,
                           const void *from);
    /* Bytes since the plan was opened: of activations that moved between memories, and of
     * constants that were copied or unpacked. */
    uint32_t moved_bytes;
    uint32_t constant_bytes;
    /* After a refusal: the record that was refused, and the name of a kernel that is missing. */
    uint32_t where;
    const char *what;
} nacre_plan_t;

/* Checks a file and connects it with the kernels that are linked. */
NACRE_MUST_CHECK int32_t nacre_plan_open(nacre_plan_t *plan, const void *file, size_t bytes,
                                         const nacre_kernel_table_t *table);

/* Size and alignment of an arena, 0 being the fastest; valid after open. */
size_t nacre_plan_arena_bytes(const nacre_plan_t *plan, uint32_t arena);
size_t nacre_plan_arena_alignment(const nacre_plan_t *plan);

/* Takes the arenas, copies staged constants, resets the state. */
NACRE_MUST_CHECK int32_t nacre_plan_prepare(nacre_plan_t *plan, const nacre_arena_t *arenas,
                                            uint32_t count);

/* Where an input or output is; valid after prepare, until the next prepare. */
NACRE_MUST_CHECK int32_t nacre_plan_input(const nacre_plan_t *plan, uint32_t index,
                                          nacre_tensor_t *tensor);
NACRE_MUST_CHECK int32_t nacre_plan_output(const nacre_plan_t *plan, uint32_t index,
                                           nacre_tensor_t *tensor);

/* One inference. Inputs may be overwritten by it. */
NACRE_MUST_CHECK int32_t nacre_plan_run(nacre_plan_t *plan);

/* Variables back to their first values. */
NACRE_MUST_CHECK int32_t nacre_plan_reset_state(nacre_plan_t *plan);

/* A sentence for a status. Costs a table of text: leave it out where space is short. */
const char *nacre_plan_status_string(int32_t status);

#ifdef __cplusplus
}
#endif

#endif
