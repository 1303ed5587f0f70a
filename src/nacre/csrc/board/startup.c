/* SPDX-License-Identifier: Apache-2.0 */
/* Start-up for an emulated Cortex-M board: vectors, memories, then main. */
#include <stdint.h>
#include <string.h>

/* Tables that the linker script makes: {from, to, bytes} to copy, {to, bytes} to clear. */
typedef struct {
    const void *from;
    void *to;
    uint32_t size;
} copy_t;

typedef struct {
    void *to;
    uint32_t size;
} clear_t;

extern const copy_t board_copy_table[];
extern const copy_t board_copy_table_end[];
extern const clear_t board_clear_table[];
extern const clear_t board_clear_table_end[];
extern uint32_t board_stack_top[];

int main(void);
void board_reset(void);
void board_start(void);
void board_fault(void);
void board_tick(void);
void board_exit(int status);

/* The FPU and the vector unit are switched on before the first instruction that may use them. */
__attribute__((naked, used)) void board_reset(void)
{
    __asm volatile(
        "ldr r0, =0xE000ED88\n" /* CPACR */
        "ldr r1, [r0]\n"
        "orr r1, r1, #(0xF << 20)\n"
        "str r1, [r0]\n"
        "dsb\n"
        "isb\n"
        "b board_start\n");
}

__attribute__((used)) void board_start(void)
{
    for (const copy_t *c = board_copy_table; c < board_copy_table_end; ++c) {
        memcpy(c->to, c->from, c->size);
    }
    for (const clear_t *c = board_clear_table; c < board_clear_table_end; ++c) {
        memset(c->to, 0, c->size);
    }
    board_exit(main());
}

/* Any fault ends the run with a status of its own. */
__attribute__((used)) void board_fault(void)
{
    board_exit(99);
}

/* A program that uses SysTick's interrupt has a handler of its own. */
__attribute__((weak, used)) void board_tick(void)
{
    board_fault();
}

__attribute__((section(".vectors"), used)) static const void *const vectors[16] = {
    board_stack_top,
    (const void *)(uintptr_t)board_reset,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_fault,
    (const void *)(uintptr_t)board_tick,
};
