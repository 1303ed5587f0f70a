/* Paints the stack, runs the network once, and prints how deep it went. */
#include <stdint.h>
#include <stdio.h>

#include "net.h"

extern uint8_t board_heap_end[]; /* lowest address of the stack */

#define PAINT 0xC5u
#define MARGIN 64

static net_model_context_t ctx;

static uint8_t *stack_pointer(void)
{
    uint8_t *sp;
    __asm volatile("mov %0, sp" : "=r"(sp));
    return sp;
}

static void __attribute__((noinline)) paint(void)
{
    for (uint8_t *p = board_heap_end; p < stack_pointer() - MARGIN; ++p) {
        *p = PAINT;
    }
}

static int32_t __attribute__((noinline)) run(void) { return net_model_run(&ctx); }

int main(void)
{
    if (net_model_init(&ctx) != net_status_ok) {
        return 1;
    }
    paint();
    uint8_t *const top = stack_pointer();
    const int32_t status = run();
    const uint8_t *deepest = board_heap_end;
    while (deepest < top && *deepest == PAINT) {
        ++deepest;
    }
    printf("stack %ld\n", (long)(top - deepest));
    return (int)status;
}
