/* SPDX-License-Identifier: Apache-2.0 */
/* Counts on the host: callgrind, told to dump before each bench_mark, does the work. */
#include "bench.h"

#define STACK 0x40000 /* bytes of stack that are painted */

void bench_start(void) {}
void __attribute__((noinline)) bench_mark(void) { __asm volatile(""); }
void bench_print(void) {}

/* Make the system map the stack down to the limit. */
static void __attribute__((noinline)) grow(void)
{
    volatile uint8_t room[STACK + 0x1000];
    for (size_t i = sizeof room; i > 0; i -= 0x1000) {
        room[i - 1] = 0;
    }
    room[0] = 0;
    (void)room[0];
}

uint8_t *bench_stack_limit(uint8_t *here)
{
    grow();
    return here - STACK;
}
