/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the samples of a module and prints where its arenas are and what was copied. */
#include "check.h"
#include "net.h"
#include "net_port.h"
#include "net_vectors.h"

#ifdef BUFFERS
#include "buffers.h"
#endif

static net_model_context_t ctx;

#ifdef INTRUDER
/* One byte of somebody else's at the start of an arena's section. */
extern uint8_t intruder;
uint8_t intruder __attribute__((section(INTRUDER)));
#endif

#ifdef DMA
static int transfers;

/* Stands in for a DMA engine: whole words, one transfer per blob. */
static void transfer(void *to, const void *from, size_t size)
{
    volatile uint32_t *words = to;
    const uint32_t *source = from;
    for (size_t i = 0; i < (size + 3) / 4; ++i) {
        words[i] = source[i];
    }
    ++transfers;
}

int32_t net_hydrate_constants(net_model_context_t *context)
{
    for (size_t i = 0; i < net_num_constant_blobs; ++i) {
        const net_constant_blob_t *const blob = &net_constant_blobs[i];
        printf("blob %d %lu\n", (int)blob->arena, (unsigned long)blob->size);
        CHECK(blob->size == net_arena_sizes[blob->arena]);
        transfer(context->arena_buffers[blob->arena], blob->source, blob->size);
    }
    net_mark_hydrated();
    return net_status_ok;
}
#endif

int main(void)
{
#ifdef BUFFERS
    bind_buffers();
#endif
    CHECK_STATUS(net_model_init(&ctx), net_status_ok);
    for (int i = 0; i < net_num_arenas; ++i) {
        printf("arena %lx\n", (unsigned long)(uintptr_t)ctx.arena_buffers[i]);
        CHECK((uintptr_t)ctx.arena_buffers[i] % net_arena_alignments[i] == 0);
    }
    for (size_t i = 0; i < net_num_constant_blobs; ++i) {
        const net_constant_blob_t *const blob = &net_constant_blobs[i];
        printf("source %lx\n", (unsigned long)(uintptr_t)blob->source);
        CHECK(memcmp(ctx.arena_buffers[blob->arena], blob->source, blob->size) == 0);
#ifdef READ_ONLY
        volatile uint8_t *const cell = (volatile uint8_t *)(uintptr_t)blob->source;
        const uint8_t before = *cell;
        *cell = (uint8_t)~before;
        CHECK(*cell == before);
#endif
    }
    for (int i = 0; i < net_samples; ++i) {
        int differ = 1;
        WRITE_INPUTS(&ctx, net_num_inputs, net_vector_inputs[i]);
        CHECK_STATUS(net_model_run(&ctx), net_status_ok);
        OUTPUTS_DIFFER(&ctx, net_num_outputs, net_vector_outputs[i], differ);
        CHECK(!differ);
    }
#ifdef DMA
    printf("transfers %d\n", transfers);
#endif
    printf("ran %d\n", net_samples);
    return check_failures != 0;
}
