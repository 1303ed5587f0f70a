/* SPDX-License-Identifier: Apache-2.0 */
/* Dirty buffers, then init: variables must have their first values, on every fresh start. */
#include "check.h"
#include "net.h"
#include "arenas.h"
#include "net_vectors.h"
#include "states.h"

static net_model_context_t ctx;

static void states_are_fresh(void)
{
    for (size_t i = 0; i < sizeof states / sizeof states[0]; ++i) {
        const state_t *const s = &states[i];
        CHECK(memcmp(ctx.arena_buffers[s->region] + s->offset, s->first, s->size) == 0);
    }
}

static void run_all(void)
{
    for (int i = 0; i < net_samples; ++i) {
        int differ = 1;
        WRITE_INPUTS(&ctx, net_num_inputs, net_vector_inputs[i]);
        CHECK_STATUS(net_model_run(&ctx), net_status_ok);
        OUTPUTS_DIFFER(&ctx, net_num_outputs, net_vector_outputs[i], differ);
        CHECK(!differ);
    }
}

static void make_dirty(const net_model_context_t *c)
{
    for (size_t i = 0; i < sizeof writable / sizeof writable[0]; ++i) {
        memset(c->arena_buffers[writable[i]], 0xA5, net_arena_sizes[writable[i]]);
    }
}

int main(void)
{
    static net_model_context_t probe;
    CHECK_STATUS(bind_example_arenas(), net_status_ok);
    CHECK_STATUS(net_context_init(&probe), net_status_ok);
    make_dirty(&probe);
    CHECK_STATUS(net_model_init(&ctx), net_status_ok);
    states_are_fresh();
    run_all();
    CHECK_STATUS(net_reset_state(&ctx), net_status_ok);
    states_are_fresh();
    run_all();
    make_dirty(&ctx);
    CHECK_STATUS(net_context_init(&ctx), net_status_ok);
    CHECK_STATUS(net_model_init(&ctx), net_status_ok);
    states_are_fresh();
    run_all();
    printf("ran %d\n", 3 * net_samples);
    return check_failures != 0;
}
