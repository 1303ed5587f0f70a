/* Prints the number of each step that a run enters. */
#include <stdio.h>

#include "net.h"

static net_model_context_t ctx;

static void on_step(void *user, uint32_t step)
{
    (void)user;
    printf("%lu\n", (unsigned long)step);
}

int main(void)
{
    ctx.on_step = on_step;
    return net_model_init(&ctx) == 0 ? (int)net_model_run(&ctx) : 1;
}
