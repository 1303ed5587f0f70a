/* SPDX-License-Identifier: Apache-2.0 */
/* Provokes every status of a module whose arenas the application owns, in one program. */
#include "check.h"
#include "net.h"
#include "arenas.h"
#include "net_vectors.h"

enum { CONSTANTS = net_arena_const_dtcm, LAST = net_num_arenas - 1 };

static net_model_context_t ctx;
static net_model_context_t fresh;
static uint8_t other[net_arena_const_dtcm_size + 64] __attribute__((aligned(64)));
static uint32_t steps_seen;

static void on_step(void *user, uint32_t step)
{
    CHECK(user == &steps_seen);
    CHECK(step == steps_seen);
    ++steps_seen;
}

/* Run one sample; is the result the oracle's? */
static void run(int sample)
{
    int differ = 1;
    WRITE_INPUTS(&ctx, net_num_inputs, net_vector_inputs[sample]);
    CHECK_STATUS(net_model_run(&ctx), net_status_ok);
    OUTPUTS_DIFFER(&ctx, net_num_outputs, net_vector_outputs[sample], differ);
    CHECK(!differ);
}

static void null_contexts(void)
{
    CHECK_STATUS(net_context_init(NULL), 13);
    CHECK_STATUS(net_model_init(NULL), 13);
    CHECK_STATUS(net_model_run(NULL), 13);
    CHECK_STATUS(net_reset_state(NULL), 13);
    CHECK_STATUS(net_hydrate_constants(NULL), 13);
    CHECK_STATUS(net_context_bind_arena(NULL, 0, other, sizeof other), 13);
}

static void before_init(void)
{
    CHECK_STATUS(net_context_init(&ctx), 10);
    CHECK_STATUS(net_model_init(&ctx), 10);
    CHECK_STATUS(net_model_run(&ctx), 14);
    CHECK_STATUS(net_reset_state(&ctx), 14);
    CHECK_STATUS(net_hydrate_constants(&ctx), 11);
}

static void bind_one(void)
{
    CHECK_STATUS(net_bind_arena(-1, other, sizeof other), 1);
    CHECK_STATUS(net_bind_arena(net_num_arenas, other, sizeof other), 1);
    CHECK_STATUS(net_bind_arena(CONSTANTS, NULL, sizeof other), 2);
    CHECK_STATUS(net_bind_arena(CONSTANTS, other, net_arena_const_dtcm_size - 1), 3);
    CHECK_STATUS(net_bind_arena(CONSTANTS, other + 1, sizeof other - 1), 4);
    CHECK_STATUS(net_context_bind_arena(&fresh, -1, other, sizeof other), 1);
    CHECK_STATUS(net_context_bind_arena(&fresh, CONSTANTS, NULL, sizeof other), 2);
    CHECK_STATUS(net_context_bind_arena(&fresh, CONSTANTS, other, 0), 3);
    CHECK_STATUS(net_context_bind_arena(&fresh, CONSTANTS, other + 1, sizeof other - 1), 4);
}

/* Each error of bind_arenas, in the last entry: not even the entries before it are bound. */
static void bind_all(void *const *good)
{
    void *buffers[net_num_arenas];
    size_t sizes[net_num_arenas];
    memcpy(buffers, good, sizeof buffers);
    memcpy(sizes, net_arena_sizes, sizeof sizes);
    CHECK_STATUS(net_bind_arenas(NULL, sizes, net_num_arenas), 100);
    CHECK_STATUS(net_bind_arenas(buffers, NULL, net_num_arenas), 100);
    CHECK_STATUS(net_bind_arenas(buffers, sizes, net_num_arenas - 1), 101);
    CHECK_STATUS(net_bind_arenas(buffers, sizes, net_num_arenas + 1), 101);
    buffers[LAST] = NULL;
    CHECK_STATUS(net_bind_arenas(buffers, sizes, net_num_arenas), 2);
    buffers[LAST] = (uint8_t *)good[LAST] + 1;
    CHECK_STATUS(net_bind_arenas(buffers, sizes, net_num_arenas), 4);
    buffers[LAST] = good[LAST];
    sizes[LAST] -= 1;
    CHECK_STATUS(net_bind_arenas(buffers, sizes, net_num_arenas), 3);
}

static void still_bound_to(void *const *buffers)
{
    net_model_context_t seen = {0};
    CHECK_STATUS(net_context_init(&seen), 0);
    for (int i = 0; i < net_num_arenas; ++i) {
        CHECK(seen.arena_buffers[i] == buffers[i]);
    }
}

/* The latch: run needs it, context_init clears it, model_init sets it. */
static void latch(void)
{
    CHECK_STATUS(net_context_init(&ctx), 0);
    CHECK(!net_is_hydrated());
    CHECK_STATUS(net_model_run(&ctx), 200);
    CHECK_STATUS(net_model_init(&ctx), 0);
    CHECK(net_is_hydrated());
    run(0);
    net_clear_hydrated();
    CHECK_STATUS(net_model_run(&ctx), 200);
    CHECK_STATUS(net_model_init(&ctx), 0);
    run(1);
    CHECK_STATUS(net_context_init(&ctx), 0);
    CHECK(!net_is_hydrated());
    CHECK_STATUS(net_model_run(&ctx), 200);
    CHECK_STATUS(net_model_init(&ctx), 0);
    run(0);
}

/* Hydrate by hand first, or not at all: model_init then leaves the arena alone. */
static void hydrated_before(int by_hand)
{
    CHECK_STATUS(net_context_init(&ctx), 0);
    uint8_t *const arena = ctx.arena_buffers[CONSTANTS];
    if (by_hand) {
        memcpy(arena, net_constant_blobs[0].source, net_constant_blobs[0].size);
        net_mark_hydrated();
    } else {
        memset(arena, 0, net_arena_const_dtcm_size);
        CHECK_STATUS(net_hydrate_constants(&ctx), 0);
    }
    CHECK(net_is_hydrated());
    const uint8_t kept = arena[3];
    const uint8_t spoilt = kept ^ 1u;
    arena[3] = spoilt;
    CHECK_STATUS(net_model_init(&ctx), 0);
    CHECK(arena[3] == spoilt);
    net_clear_hydrated();
    CHECK_STATUS(net_model_init(&ctx), 0);
    CHECK(arena[3] == kept);
    run(0);
}

/* model_init of a context that runs already is no new start; context_init is. */
static void init_again(void)
{
    CHECK_STATUS(net_context_init(&ctx), 0);
    CHECK_STATUS(net_model_init(&ctx), 0);
    run(0);
    CHECK_STATUS(net_model_init(&ctx), 0);
    run(1);
    CHECK_STATUS(net_context_init(&ctx), 0);
    CHECK_STATUS(net_model_init(&ctx), 0);
    run(0);
    run(1);
    CHECK_STATUS(net_reset_state(&ctx), 0);
    run(0);
}

/* What the caller wrote into ctx->arena_buffers is not looked at. */
static void caller_filled(void *const *buffers)
{
    memset(ctx.arena_buffers, 0xA5, sizeof ctx.arena_buffers);
    CHECK_STATUS(net_context_init(&ctx), 0);
    for (int i = 0; i < net_num_arenas; ++i) {
        CHECK(ctx.arena_buffers[i] == buffers[i]);
    }
}

/* A context with a buffer of its own has a latch of its own. */
static void own_binding(void)
{
    CHECK_STATUS(net_context_bind_arena(&fresh, CONSTANTS, other, sizeof other), 0);
    net_mark_hydrated();
    CHECK_STATUS(net_model_run(&fresh), 14);
    CHECK_STATUS(net_context_init(&fresh), 0);
    CHECK(fresh.arena_buffers[CONSTANTS] == other);
    CHECK(net_is_hydrated() && !net_context_is_hydrated(&fresh));
    CHECK_STATUS(net_model_run(&fresh), 200);
    net_clear_hydrated();
    CHECK_STATUS(net_model_init(&fresh), 0);
    CHECK(!net_is_hydrated() && net_context_is_hydrated(&fresh));
    CHECK(memcmp(other, net_constant_blobs[0].source, net_constant_blobs[0].size) == 0);
    CHECK_STATUS(net_model_run(&fresh), 0);
    net_context_clear_hydrated(&fresh);
    CHECK_STATUS(net_model_run(&fresh), 200);
    net_context_mark_hydrated(&fresh);
    CHECK_STATUS(net_model_run(&fresh), 0);
    /* A buffer that is bound later counts from the next init on. */
    CHECK_STATUS(net_context_bind_arena(&fresh, CONSTANTS, other + 64, sizeof other - 64), 0);
    CHECK_STATUS(net_model_run(&fresh), 14);
    CHECK_STATUS(net_model_init(&fresh), 0);
    CHECK(fresh.arena_buffers[CONSTANTS] == other + 64);
    CHECK_STATUS(net_model_run(&fresh), 0);
}

int main(void)
{
    void *const buffers[net_num_arenas] = {ARENAS};
    const int32_t codes[] = {0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 100, 101, 200, 99};
    null_contexts();
    before_init();
    bind_one();
    bind_all(buffers);
    before_init();
    CHECK_STATUS(bind_example_arenas(), 0);
    still_bound_to(buffers);
    void *changed[net_num_arenas];
    memcpy(changed, buffers, sizeof changed);
    changed[CONSTANTS] = other;
    bind_all(changed);
    still_bound_to(buffers);
    latch();
    hydrated_before(0);
    hydrated_before(1);
    init_again();
    caller_filled(buffers);
    own_binding();
    CHECK_STATUS(net_model_init(&ctx), 0);
    CHECK(strcmp(ctx.plan_hash, NET_PLAN_HASH) == 0);
    ctx.on_step = on_step;
    ctx.user = &steps_seen;
    CHECK_STATUS(net_model_run(&ctx), 0);
    CHECK(steps_seen == net_num_steps + 1);
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
        printf("status %ld %s\n", (long)codes[i], net_status_string(codes[i]));
    }
    return check_failures != 0;
}
