/* Opens and runs what a fuzzer makes of plan files; all numbers are tried, checksums are mended. */
#include <stdlib.h>
#include <string.h>

#include "runtime/runtime_parts.h"

extern const nacre_kernel_table_t nacre_kernels;
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
void mend(uint8_t *data, size_t size);

enum { LARGEST_ARENA = 1 << 15 };

/* Exactly as large as asked for, so that the sanitizer sees every byte beside it. */
static uint8_t *exact(size_t bytes)
{
    void *memory = NULL;
    return posix_memalign(&memory, 4096, bytes) == 0 ? memory : NULL;
}

static int32_t rows_from(void *user, uint32_t input, uint32_t first, uint32_t rows, void *to)
{
    (void)user, (void)input, (void)first, (void)rows, (void)to;
    return 0;
}

static int32_t rows_to(void *user, uint32_t output, uint32_t first, uint32_t rows, const void *from)
{
    (void)user, (void)output, (void)first, (void)rows, (void)from;
    return 0;
}

static void fill_inputs(nacre_plan_t *plan)
{
    nacre_tensor_t tensor;
    for (uint32_t i = 0; nacre_plan_input(plan, i, &tensor) == NACRE_STATUS_OK; ++i) {
        for (size_t n = 0; tensor.data != NULL && n < tensor.bytes; ++n) {
            ((uint8_t *)tensor.data)[n] = (uint8_t)(n * 37u + 11u * i);
        }
    }
}

static void read_outputs(nacre_plan_t *plan)
{
    nacre_tensor_t tensor;
    volatile uint8_t sum = 0;
    for (uint32_t i = 0; nacre_plan_output(plan, i, &tensor) == NACRE_STATUS_OK; ++i) {
        for (size_t n = 0; tensor.data != NULL && n < tensor.bytes; ++n) {
            sum = (uint8_t)(sum + ((uint8_t *)tensor.data)[n]);
        }
    }
}

static void run(nacre_plan_t *plan)
{
    nacre_arena_t arenas[NACRE_MAX_ARENAS] = {{NULL, 0}};
    size_t total = 0;
    for (uint32_t i = 0; i < NACRE_MAX_ARENAS; ++i) {
        total += nacre_plan_arena_bytes(plan, i);
    }
    if (total > LARGEST_ARENA) {
        return;
    }
    for (uint32_t i = 0; i < NACRE_MAX_ARENAS; ++i) {
        arenas[i].bytes = nacre_plan_arena_bytes(plan, i);
        arenas[i].data = arenas[i].bytes == 0 ? NULL : exact(arenas[i].bytes);
        if (arenas[i].data != NULL) {
            memset(arenas[i].data, 0xA5, arenas[i].bytes);
        }
    }
    plan->input_rows = rows_from;
    plan->output_rows = rows_to;
    if (nacre_plan_prepare(plan, arenas, NACRE_MAX_ARENAS) == NACRE_STATUS_OK) {
        for (int i = 0; i < 2; ++i) {
            fill_inputs(plan);
            if (nacre_plan_run(plan) == NACRE_STATUS_OK) {
                read_outputs(plan);
            }
        }
    }
    for (uint32_t i = 0; i < NACRE_MAX_ARENAS; ++i) {
        free(arenas[i].data);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    nacre_plan_t plan;
    uint8_t *const file = exact(size == 0 ? 1 : size);
    memcpy(file, data, size);
    if (nacre_plan_open(&plan, file, size, &nacre_kernels) == NACRE_STATUS_OK) {
        run(&plan);
    }
    free(file);
    return 0;
}

static uint32_t state;

static uint32_t draw(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return limit == 0 ? 0 : (state >> 8) % limit;
}

static uint32_t value(uint32_t old, const uint8_t *data, size_t size)
{
    static const uint32_t edges[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 63, 64, 127, 128, 255, 256,
                                     4095, 65535, 65536, 1u << 20, 1u << 24, 1u << 28, 0x7fffffffu,
                                     0x80000000u, 0xffffffffu, 0xfffffffeu, 0xffffff00u};
    uint32_t other;
    switch (draw(6)) {
    case 0:
        return edges[draw(sizeof edges / sizeof *edges)];
    case 1:
        return old + draw(33) - 16u;
    case 2:
        return old ^ (UINT32_C(1) << draw(32));
    case 3:
        return old * 2u;
    case 4:
        return old / 2u;
    default:
        memcpy(&other, data + 4u * draw((uint32_t)(size / 4u)), 4);
        return other;
    }
}

/* One word of one section, records more often than constants. */
static void change_word(uint8_t *data, size_t size)
{
    nacre_plan_header_t header;
    nacre_plan_section_t section = {0, 0, 0, (uint32_t)size};
    memcpy(&header, data, sizeof header);
    if (header.section_count > 0 && header.section_count < 64 && draw(16) != 0) {
        const size_t at = sizeof header + draw(header.section_count) * sizeof section;
        if (at + sizeof section <= size) {
            memcpy(&section, data + at, sizeof section);
        }
    }
    if (section.bytes < 4 || section.offset > size || section.bytes > size - section.offset) {
        return;
    }
    const size_t at = section.offset + 4u * (size_t)draw(section.bytes / 4u);
    uint32_t word;
    memcpy(&word, data + at, 4);
    word = value(word, data, size);
    memcpy(data + at, &word, 4);
}

void mend(uint8_t *data, size_t size)
{
    nacre_plan_header_t header;
    memcpy(&header, data, sizeof header);
    header.magic = NACRE_PLAN_MAGIC;
    header.version = NACRE_PLAN_MAJOR << 16;
    header.file_bytes = (uint32_t)size;
    header.crc = 0;
    memcpy(data, &header, sizeof header);
    header.crc = ~nacre_crc(UINT32_C(0xffffffff), data, size);
    memcpy(data, &header, sizeof header);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    state = seed;
    if (size < sizeof(nacre_plan_header_t) || draw(32) == 0) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    if (draw(16) == 0) {
        size = LLVMFuzzerMutate(data, size, max_size);
        if (size < sizeof(nacre_plan_header_t)) {
            return size;
        }
    } else {
        const uint32_t changes = 1u + draw(draw(2) == 0 ? 1u : 6u);
        for (uint32_t i = 0; i < changes; ++i) {
            change_word(data, size);
        }
    }
    mend(data, size);
    return size;
}
