/* SPDX-License-Identifier: Apache-2.0 */
/* Counts on an emulated Cortex-M: SysTick at the core's clock, under `-icount shift=0`. */
#include <stdio.h>

#include "bench.h"

/* Ticks of one round of the 24-bit counter; a smaller one makes a test of the wrap short. */
#ifndef BENCH_PERIOD
#define BENCH_PERIOD 0x1000000u
#endif
#ifndef BENCH_MARKS
#define BENCH_MARKS 4096
#endif

#define SYST_CSR (*(volatile uint32_t *)0xE000E010u)
#define SYST_RVR (*(volatile uint32_t *)0xE000E014u)
#define SYST_CVR (*(volatile uint32_t *)0xE000E018u)

extern uint8_t board_heap_end[]; /* lowest address of the stack */

void board_tick(void);

static volatile uint32_t rounds;
static uint64_t marks[BENCH_MARKS];
static uint32_t count;

/* The counter has come down to 0. */
void board_tick(void) { rounds = rounds + 1; }

void bench_start(void)
{
    SYST_CSR = 0;
    SYST_RVR = BENCH_PERIOD - 1u;
    SYST_CVR = 0;
    rounds = 0;
    count = 0;
    SYST_CSR = 7u; /* core clock, interrupt, on */
}

/* Ticks since the start. At 0 the round is already counted, so that 0 begins the next. */
static uint64_t ticks(void)
{
    uint32_t round, value;
    do {
        round = rounds;
        value = SYST_CVR;
    } while (round != rounds);
    return (uint64_t)round * BENCH_PERIOD + (value == 0 ? 0 : BENCH_PERIOD - value);
}

void bench_mark(void)
{
    if (count < BENCH_MARKS) {
        marks[count] = ticks();
        ++count;
    }
}

void bench_print(void)
{
    SYST_CSR = 0;
    for (uint32_t i = 0; i < count; ++i) {
        printf("mark %08lx%08lx\n", (unsigned long)(marks[i] >> 32),
               (unsigned long)(marks[i] & 0xFFFFFFFFu));
    }
}

uint8_t *bench_stack_limit(uint8_t *here)
{
    (void)here;
    return board_heap_end;
}
