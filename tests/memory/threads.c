/* SPDX-License-Identifier: Apache-2.0 */
/* Two contexts of one model in two threads, each with arenas and a latch of its own. */
#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "net.h"
#include "net_vectors.h"

#define ROUNDS 25

typedef struct {
    net_model_context_t ctx;
    int wrong;
} job_t;

static void bind(net_model_context_t *ctx, int32_t region)
{
    void *buffer = NULL;
    const size_t size = (net_arena_sizes[region] + 63) / 64 * 64;
    CHECK(posix_memalign(&buffer, 64, size) == 0);
    memset(buffer, 0xA5, size);
    CHECK_STATUS(net_context_bind_arena(ctx, region, buffer, size), net_status_ok);
}

static void *work(void *argument)
{
    job_t *const job = argument;
    job->wrong += net_model_init(&job->ctx) != net_status_ok;
    for (int round = 0; round < ROUNDS; ++round) {
        for (int i = 0; i < net_samples; ++i) {
            int differ = 1;
            WRITE_INPUTS(&job->ctx, net_num_inputs, net_vector_inputs[i]);
            job->wrong += net_model_run(&job->ctx) != net_status_ok;
            OUTPUTS_DIFFER(&job->ctx, net_num_outputs, net_vector_outputs[i], differ);
            job->wrong += differ;
        }
        job->wrong += net_reset_state(&job->ctx) != net_status_ok;
    }
    return NULL;
}

int main(void)
{
    static job_t jobs[2];
    const int32_t own[] = {OWN};
    pthread_t threads[2];
    for (int t = 0; t < 2; ++t) {
        for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i) {
            bind(&jobs[t].ctx, own[i]);
        }
    }
    for (int t = 0; t < 2; ++t) {
        CHECK(pthread_create(&threads[t], NULL, work, &jobs[t]) == 0);
    }
    for (int t = 0; t < 2; ++t) {
        CHECK(pthread_join(threads[t], NULL) == 0);
        CHECK(jobs[t].wrong == 0);
    }
    CHECK(jobs[0].ctx.arena_buffers[own[0]] != jobs[1].ctx.arena_buffers[own[0]]);
    printf("ran %d\n", 2 * ROUNDS * net_samples);
    return check_failures != 0;
}
