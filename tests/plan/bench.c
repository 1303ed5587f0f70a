/* Counts one warm run of the plan that is linked in. */
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "plan_arenas.h"
#include "runtime/nacre_runtime.h"

extern const nacre_kernel_table_t nacre_kernels;
extern const uint8_t plan_data[];
extern const size_t plan_data_bytes;

static nacre_plan_t plan;
static int32_t status;

static void prepare(void)
{
    nacre_tensor_t tensor;
    for (uint32_t i = 0; nacre_plan_input(&plan, i, &tensor) == NACRE_STATUS_OK; ++i) {
        memset(tensor.data, 0, tensor.bytes);
    }
    status = nacre_plan_reset_state(&plan);
}

static void __attribute__((noinline)) run(void) { status = nacre_plan_run(&plan); }

int main(void)
{
    status = nacre_plan_open(&plan, plan_data, plan_data_bytes, &nacre_kernels);
    status = status == 0 ? nacre_plan_prepare(&plan, plan_arenas, PLAN_ARENAS) : status;
    if (status == 0) {
        prepare();
        printf("stack %lu\n", (unsigned long)bench_stack(run));
        bench_start();
        prepare();
        bench_mark();
        run();
        bench_mark();
        bench_mark();
        bench_print();
    }
    printf("plan %lu\n", (unsigned long)sizeof plan);
    return (int)status;
}
