/* SPDX-License-Identifier: Apache-2.0 */
/* Prints after how many runs an input had changed; outputs must be right either way. */
#include "check.h"
#include "net.h"
#include "net_vectors.h"

static net_model_context_t ctx;

int main(void)
{
    int changed = 0;
    CHECK_STATUS(net_model_init(&ctx), net_status_ok);
    for (int i = 0; i < net_samples; ++i) {
        int differ = 1;
        WRITE_INPUTS(&ctx, net_num_inputs, net_vector_inputs[i]);
        CHECK_STATUS(net_model_run(&ctx), net_status_ok);
        OUTPUTS_DIFFER(&ctx, net_num_outputs, net_vector_outputs[i], differ);
        CHECK(!differ);
        const uint8_t *written = net_vector_inputs[i];
        int same = 1;
        for (int k = 0; k < net_num_inputs; ++k) {
            same &= memcmp(ctx.inputs[k].data, written, ctx.inputs[k].size) == 0;
            written += ctx.inputs[k].size;
        }
        changed += !same;
    }
    printf("changed %d\n", changed);
    return check_failures != 0;
}
