/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a plan: the kernels that it names, found among those that are linked. */
#include <string.h>

#include "runtime_parts.h"

static uint32_t find(const nacre_kernel_table_t *table, const char *name)
{
    uint32_t i = 0;
    while (i < table->count && strcmp(table->kernels[i].name, name) != 0) {
        ++i;
    }
    return i;
}

int32_t nacre_open_kernels(nacre_plan_t *plan, const nacre_plan_header_t *header)
{
    const char *const names = NACRE_RECORDS(plan, NAMES, char);
    const uint32_t bytes = NACRE_COUNT(plan, NAMES);
    const nacre_plan_kernel_t *const kernels = NACRE_RECORDS(plan, KERNELS, nacre_plan_kernel_t);
    const uint32_t count = NACRE_COUNT(plan, KERNELS);
    if (count != header->kernel_count || (bytes != 0u && names[bytes - 1u] != '\0')) {
        return NACRE_STATUS_BAD_NAME;
    }
    if (count > NACRE_MAX_KERNELS) {
        return NACRE_STATUS_TOO_MANY_KERNELS;
    }
    for (uint32_t i = 0; i < count; ++i) {
        if (kernels[i].name >= bytes) {
            return nacre_refuse(plan, NACRE_STATUS_BAD_NAME, i);
        }
        const uint32_t found = find(plan->table, names + kernels[i].name);
        if (found == plan->table->count) {
            plan->what = names + kernels[i].name;
            return nacre_refuse(plan, NACRE_STATUS_MISSING_KERNEL, i);
        }
        plan->kernels[i] = (uint16_t)found;
    }
    return NACRE_STATUS_OK;
}
