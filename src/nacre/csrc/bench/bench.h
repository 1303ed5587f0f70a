/* SPDX-License-Identifier: Apache-2.0 */
/* What a measuring program needs of the place that it runs on: a board's, or the host's. */
#ifndef BENCH_H
#define BENCH_H

#include <stddef.h>
#include <stdint.h>

/* Begin to count. Marks before it are not kept. */
void bench_start(void);

/* Note how far the count is. What a mark itself costs is the same at each. */
void bench_mark(void);

/* Print every mark, where the program itself has to. */
void bench_print(void);

/* Lowest address of the stack that may be painted; `here` is an address near its top. */
uint8_t *bench_stack_limit(uint8_t *here);

/* Paint the free stack, call `run`, and return the bytes of stack that it used at its deepest;
 * SIZE_MAX when it used all. stack.c has it for every place. */
size_t bench_stack(void (*run)(void));

#endif
