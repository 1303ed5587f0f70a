/* Gives and takes rows, and fails on purpose: prints each request, and the statuses. */
#include <stdio.h>
#include <string.h>

#include "net.h"

static net_model_context_t ctx;
static uint32_t next_in, next_out;
static int calls_left;

static int32_t give(void *user, uint32_t input, uint32_t first, uint32_t rows, void *dst)
{
    const int in_order = user == &ctx && input == 0 && first == next_in && rows > 0;
    next_in = first + rows;
    memset(dst, 1, rows * NET_INPUT_0_ROW_BYTES);
    return in_order && calls_left-- > 0 ? 0 : 1;
}

static int32_t take(void *user, uint32_t output, uint32_t first, uint32_t rows, const void *src)
{
    const int in_order = user == &ctx && output == 0 && first == next_out && rows > 0;
    next_out = first + rows;
    return in_order && src != NULL && calls_left-- > 0 ? 0 : 1;
}

static void run(int calls)
{
    next_in = next_out = 0;
    calls_left = calls;
    const int32_t status = net_model_run(&ctx);
    printf("%ld %s: in %lu out %lu\n", (long)status, net_status_string(status),
           (unsigned long)next_in, (unsigned long)next_out);
}

int main(void)
{
    ctx.user = &ctx;
    if (net_model_init(&ctx) != 0 || ctx.inputs[0].data != NULL || ctx.outputs[0].data != NULL) {
        return 1;
    }
    run(1000);
    ctx.input_rows = give;
    run(1000);
    ctx.output_rows = take;
    run(1000);
    run(0);
    return 0;
}
