/* SPDX-License-Identifier: Apache-2.0 */
/* The high-water mark of the stack: paint it, run, and look for the deepest byte that changed. */
#include "bench.h"

#define PAINT 0xC5u
#define MARGIN 64 /* bytes below its own frame that the painter leaves alone */

static void __attribute__((noinline)) paint(volatile uint8_t *low)
{
    volatile uint8_t *const high = (volatile uint8_t *)__builtin_frame_address(0) - MARGIN;
    for (volatile uint8_t *p = low; p < high; ++p) {
        *p = PAINT;
    }
}

size_t __attribute__((noinline)) bench_stack(void (*run)(void))
{
    uint8_t *const top = __builtin_frame_address(0);
    uint8_t *const low = bench_stack_limit(top);
    paint(low);
    run();
    const volatile uint8_t *deepest = low;
    while (deepest < top && *deepest == PAINT) {
        ++deepest;
    }
    return deepest == low ? SIZE_MAX : (size_t)(top - deepest);
}
