/* SPDX-License-Identifier: Apache-2.0 */
/* Two modules in one program: one scratch buffer for both, each with state of its own. */
#include "check.h"
#include "one.h"
#include "two.h"
#include "one_vectors.h"
#include "two_vectors.h"

/* The second module starts this many runs after the first. */
#define LATER 3
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define SHARED_SIZE LARGER(one_arena_dtcm_size, two_arena_dtcm_size)

static uint8_t shared[SHARED_SIZE] __attribute__((aligned(64), section(".bss.nacre_dtcm")));
static one_model_context_t one;
static two_model_context_t two;

int main(void)
{
    int ran = 0;
    CHECK_STATUS(one_bind_arena(one_arena_dtcm, shared, sizeof shared), one_status_ok);
    CHECK_STATUS(two_bind_arena(two_arena_dtcm, shared, sizeof shared), two_status_ok);
    CHECK_STATUS(one_model_init(&one), one_status_ok);
    CHECK_STATUS(two_model_init(&two), two_status_ok);
    CHECK(one.arena_buffers[one_arena_dtcm] == two.arena_buffers[two_arena_dtcm]);
    CHECK(one.arena_buffers[one_arena_persistent_sram]
          != two.arena_buffers[two_arena_persistent_sram]);
    for (int i = 0; i < LARGER(one_samples, two_samples + LATER); ++i) {
        int differ = 1;
        if (i < one_samples) {
            WRITE_INPUTS(&one, one_num_inputs, one_vector_inputs[i]);
            CHECK_STATUS(one_model_run(&one), one_status_ok);
            OUTPUTS_DIFFER(&one, one_num_outputs, one_vector_outputs[i], differ);
            CHECK(!differ);
            ++ran;
        }
        if (i >= LATER && i - LATER < two_samples) {
            memset(shared, 0x5A, sizeof shared); /* scratch is nobody's between runs */
            WRITE_INPUTS(&two, two_num_inputs, two_vector_inputs[i - LATER]);
            CHECK_STATUS(two_model_run(&two), two_status_ok);
            OUTPUTS_DIFFER(&two, two_num_outputs, two_vector_outputs[i - LATER], differ);
            CHECK(!differ);
            ++ran;
        }
    }
    printf("ran %d\n", ran);
    return check_failures != 0;
}
