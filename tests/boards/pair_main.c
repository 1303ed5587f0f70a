/* SPDX-License-Identifier: Apache-2.0 */
/* Runs pairs of kernel calls from a file and compares what they write.
 *
 * A case is words {constant bytes, memory bytes, calls, expected, found, size, guards}, then
 * {begin, size} of each guard, then each call as {kernel, words, {kind, value} ...}, then the
 * constants and the memory. Kinds: 0 a number, 1 an offset into the constants, 2 into the memory.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "pair_kernels.h"

enum { CONSTANTS = 1 << 17, MEMORY = 1 << 17, CALLS = 96, WORDS = 12, GUARD = 0xA5 };

typedef struct {
    uint32_t constants, memory, calls, expected, found, size, guards;
} case_t;

typedef void (*kernel_t)(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                         uint32_t, uint32_t, uint32_t, uint32_t, uint32_t);
typedef void (*any_t)(void);

static const any_t kernels[] = {PAIR_KERNELS};
static uint32_t constants[CONSTANTS / 4];
static uint32_t memory[MEMORY / 4];
static uint32_t guards[16][2];
static uint32_t calls[CALLS][2 + 2 * WORDS];

static int take(FILE *file, void *to, size_t size)
{
    return fread(to, 1, size, file) == size;
}

static uint32_t value(const uint32_t *word)
{
    const uint32_t bases[] = {0, (uint32_t)(uintptr_t)constants, (uint32_t)(uintptr_t)memory};
    return bases[word[0]] + word[1];
}

static void run(const uint32_t *call)
{
    uint32_t w[WORDS] = {0};
    for (uint32_t i = 0; i < call[1]; ++i) {
        w[i] = value(call + 2 + 2 * i);
    }
    const kernel_t kernel = (kernel_t)kernels[call[0]];
    kernel(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]);
}

static int untouched(const case_t *c)
{
    const uint8_t *bytes = (const uint8_t *)memory;
    for (uint32_t g = 0; g < c->guards; ++g) {
        for (uint32_t i = 0; i < guards[g][1]; ++i) {
            if (bytes[guards[g][0] + i] != GUARD) {
                return 0;
            }
        }
    }
    return 1;
}

int main(void)
{
    FILE *file = fopen("cases.bin", "rb");
    case_t c;
    uint32_t number = 0;
    while (file != NULL && take(file, &c, sizeof c)) {
        int whole = take(file, guards, c.guards * sizeof guards[0]);
        for (uint32_t i = 0; i < c.calls; ++i) {
            whole = whole && take(file, calls[i], 8);
            whole = whole && take(file, calls[i] + 2, 8 * calls[i][1]);
        }
        whole = whole && take(file, constants, c.constants) && take(file, memory, c.memory);
        if (!whole) {
            printf("short %lu\n", (unsigned long)number);
            return 1;
        }
        for (uint32_t i = 0; i < c.calls; ++i) {
            run(calls[i]);
        }
        const uint8_t *bytes = (const uint8_t *)memory;
        if (memcmp(bytes + c.expected, bytes + c.found, c.size) != 0) {
            printf("differs %lu\n", (unsigned long)number);
        }
        if (!untouched(&c)) {
            printf("outside %lu\n", (unsigned long)number);
        }
        ++number;
    }
    printf("cases %lu\n", (unsigned long)number);
    return 0;
}
