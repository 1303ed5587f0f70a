/* Runs a module on the inputs of in.bin and prints the bytes that it moved and read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "count_tables.h"
#include "net.h"

static net_model_context_t ctx;
static unsigned long loaded, spilled, weights;
/* Constants that the step which is running has read already. */
static int seen[MANY];

static void on_step(void *user, uint32_t step)
{
    (void)user;
    (void)step;
    memset(seen, 0, sizeof seen);
}

static void read_constant(unsigned long offset)
{
    for (int i = 0; i < count_constants; ++i) {
        const count_slot_t *const slot = &count_slots[i];
        if (offset >= slot->offset && offset < slot->offset + slot->size) {
            weights += seen[i] ? 0 : slot->size;
            seen[i] = 1;
            return;
        }
    }
    printf("no constant at %lu\n", offset);
    exit(1);
}

/* The arguments of a call of a kernel as they are written. */
void count_call(const char *arguments)
{
    const char *at = arguments;
    while ((at = strstr(at, CONSTANTS " + ")) != NULL) {
        at += strlen(CONSTANTS " + ");
        read_constant(strtoul(at, NULL, 10));
    }
}

static int region_of(const void *p)
{
    for (int r = 0; r < net_num_arenas; ++r) {
        const uint8_t *const base = ctx.arena_buffers[r];
        if ((const uint8_t *)p >= base && (const uint8_t *)p < base + net_arena_sizes[r]) {
            return r;
        }
    }
    printf("a copy outside the arenas\n");
    exit(1);
}

int32_t net_copy_async(void *dst, const void *src, size_t size, uint32_t channel)
{
    const int from = region_of(src);
    const int to = region_of(dst);
    if (from == CONSTANTS_REGION) {
        weights += size;
    } else if (to == FAST_REGION && from == FAST_REGION) {
        /* A box of a tensor that is in fast memory already: no traffic. */
    } else if (to == FAST_REGION) {
        loaded += size;
    } else {
        spilled += size;
    }
    if (channel >= net_num_channels || region_of((const uint8_t *)dst + size - 1) != to ||
        region_of((const uint8_t *)src + size - 1) != from) {
        printf("a copy beyond an arena\n");
        exit(1);
    }
    memcpy(dst, src, size);
    return 0;
}

int32_t net_copy_wait(uint32_t channel)
{
    (void)channel;
    return 0;
}

int main(void)
{
    FILE *const in = fopen("in.bin", "rb");
    int32_t status = net_model_init(&ctx);
    ctx.on_step = on_step;
    for (int i = 0; i < net_num_inputs && status == 0; ++i) {
        status = fread(ctx.inputs[i].data, 1, ctx.inputs[i].size, in) == ctx.inputs[i].size ? 0 : -1;
    }
    status = status == 0 ? net_model_run(&ctx) : status;
    printf("%ld %lu %lu %lu\n", (long)status, loaded, spilled, weights);
    return fclose(in);
}
