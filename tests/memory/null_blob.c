/* SPDX-License-Identifier: Apache-2.0 */
/* A module that is linked with its staged source at address 0: weights that never arrived. */
#include "check.h"
#include "net.h"

static net_model_context_t ctx;

int main(void)
{
    CHECK(net_num_constant_blobs == 1);
    CHECK(net_constant_blobs[0].source == NULL);
    CHECK_STATUS(net_model_init(&ctx), 12);
    CHECK(!net_is_hydrated());
    CHECK_STATUS(net_model_run(&ctx), 200);
    CHECK_STATUS(net_hydrate_constants(&ctx), 12);
    printf("seen %s\n", net_status_string(net_hydrate_constants(&ctx)));
    return check_failures != 0;
}
