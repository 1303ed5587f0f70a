/* Copies that happen as late as they may: when they are waited for. Runs in.bin, prints outputs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net.h"

enum { MOST = 4096 };

typedef struct {
    void *dst;
    const void *src;
    size_t size;
    uint32_t channel;
} copy_t;

static net_model_context_t ctx;
static copy_t pending[MOST];
static int count;
static int most;

int32_t net_copy_async(void *dst, const void *src, size_t size, uint32_t channel)
{
    if (count == MOST || channel >= net_num_channels) {
        abort();
    }
    memset(dst, 0xEE, size); /* what was there is lost from now on */
    pending[count++] = (copy_t){dst, src, size, channel};
    most = count > most ? count : most;
    return 0;
}

int32_t net_copy_wait(uint32_t channel)
{
    int left = 0;
    for (int i = 0; i < count; ++i) {
        if (pending[i].channel == channel) {
            memcpy(pending[i].dst, pending[i].src, pending[i].size);
        } else {
            pending[left++] = pending[i];
        }
    }
    count = left;
    return 0;
}

int main(void)
{
    FILE *const in = fopen("in.bin", "rb");
    FILE *const out = fopen("out.bin", "wb");
    int32_t status = net_model_init(&ctx);
    for (int i = 0; i < net_num_inputs && status == 0; ++i) {
        status = fread(ctx.inputs[i].data, 1, ctx.inputs[i].size, in) == ctx.inputs[i].size ? 0 : -1;
    }
    status = status == 0 ? net_model_run(&ctx) : status;
    for (int o = 0; o < net_num_outputs; ++o) {
        fwrite(ctx.outputs[o].data, 1, ctx.outputs[o].size, out);
    }
    printf("%ld %d %d %d\n", (long)status, count, most, net_num_channels);
    return fclose(in) | fclose(out);
}
