/* Marks around a loop of known length, and the stack of a function of known depth. */
#include <stdio.h>

#include "bench/bench.h"

/* Two instructions: count down, and again unless that made zero. */
#ifdef __arm__
#define TURN "1: subs %0, %0, #1\n bne 1b"
#else
#define TURN "1: subl $1, %0\n jnz 1b"
#endif

/* 1 + 2 * LOOP instructions. */
static void loop(void)
{
    uint32_t left = LOOP;
    __asm volatile(TURN : "+r"(left) : : "cc");
}

static void deep(void)
{
    volatile uint8_t room[DEPTH];
    for (size_t i = 0; i < DEPTH; ++i) {
        room[i] = (uint8_t)i;
    }
    (void)room[0];
}

int main(void)
{
    printf("stack %lu\n", (unsigned long)bench_stack(deep));
    bench_start();
    bench_mark();
    bench_mark();
    loop();
    bench_mark();
    bench_print();
    return 0;
}
