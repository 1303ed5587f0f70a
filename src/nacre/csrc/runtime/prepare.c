/* SPDX-License-Identifier: Apache-2.0 */
/* Giving a plan its arenas; state and tensors. */
#include <string.h>

#include "runtime_parts.h"

static const nacre_plan_header_t *header_of(const nacre_plan_t *plan)
{
    return (const nacre_plan_header_t *)(const void *)plan->file;
}

static int32_t share_bytes(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    const uintptr_t x = (uintptr_t)a;
    const uintptr_t y = (uintptr_t)b;
    return x < y + b_bytes && y < x + a_bytes;
}

static int32_t check_arena(const nacre_plan_t *plan, const nacre_arena_t *arenas, uint32_t count,
                           uint32_t number)
{
    const nacre_plan_header_t *const header = header_of(plan);
    const size_t needed = header->arena_bytes[number];
    if (needed == 0u) {
        return NACRE_STATUS_OK;
    }
    if (number >= count || arenas[number].data == NULL) {
        return NACRE_STATUS_MISSING_ARENA;
    }
    if (arenas[number].bytes < needed) {
        return NACRE_STATUS_ARENA_TOO_SMALL;
    }
    if ((uintptr_t)arenas[number].data % header->arena_alignment != 0u) {
        return NACRE_STATUS_ARENA_MISALIGNED;
    }
    int32_t shared = share_bytes(arenas[number].data, needed, plan->file, header->file_bytes);
    for (uint32_t i = 0; i < number; ++i) {
        shared |= header->arena_bytes[i] != 0u &&
                  share_bytes(arenas[number].data, needed, arenas[i].data, header->arena_bytes[i]);
    }
    return shared ? NACRE_STATUS_ARENA_OVERLAP : NACRE_STATUS_OK;
}

static void place_regions(nacre_plan_t *plan, const nacre_arena_t *arenas)
{
    const nacre_plan_region_t *r = NACRE_RECORDS(plan, REGIONS, nacre_plan_region_t);
    for (uint32_t i = 0; i < NACRE_COUNT(plan, REGIONS); ++i, ++r) {
        if (r->kind == NACRE_REGION_CONSTANT || r->bytes == 0u) {
            /* Calls only read it: their checks saw to that. */
            plan->frame.bases[i] = (uint8_t *)(uintptr_t)(plan->file +
                                                         (r->bytes == 0u ? 0u : r->offset));
            continue;
        }
        plan->frame.bases[i] = (uint8_t *)arenas[r->arena].data + r->offset;
        if (r->kind == NACRE_REGION_STAGED) {
            memcpy(plan->frame.bases[i], plan->file + r->source, r->bytes);
        }
    }
}

int32_t nacre_plan_prepare(nacre_plan_t *plan, const nacre_arena_t *arenas, uint32_t count)
{
    if (plan == NULL || (arenas == NULL && count != 0u)) {
        return NACRE_STATUS_NULL;
    }
    if (plan->state == 0u) {
        return NACRE_STATUS_NOT_OPEN;
    }
    for (uint32_t i = 0; i < NACRE_MAX_ARENAS; ++i) {
        const int32_t status = check_arena(plan, arenas, count, i);
        if (status != NACRE_STATUS_OK) {
            return nacre_refuse(plan, status, i);
        }
    }
    place_regions(plan, arenas);
    plan->state = NACRE_STATE_PREPARED;
    return nacre_plan_reset_state(plan);
}

int32_t nacre_plan_reset_state(nacre_plan_t *plan)
{
    if (plan == NULL) {
        return NACRE_STATUS_NULL;
    }
    if (plan->state != NACRE_STATE_PREPARED) {
        return NACRE_STATUS_NOT_PREPARED;
    }
    const nacre_plan_region_t *r = NACRE_RECORDS(plan, REGIONS, nacre_plan_region_t);
    for (uint32_t i = 0; i < NACRE_COUNT(plan, REGIONS); ++i, ++r) {
        if (r->kind == NACRE_REGION_PERSISTENT && r->bytes != 0u) {
            memset(plan->frame.bases[i], 0, r->bytes);
        }
    }
    const nacre_plan_variable_t *v = NACRE_RECORDS(plan, VARIABLES, nacre_plan_variable_t);
    for (uint32_t i = 0; i < NACRE_COUNT(plan, VARIABLES); ++i, ++v) {
        if (v->bytes != 0u) {
            memcpy(plan->frame.bases[v->region] + v->offset,
                   plan->frame.bases[v->source_region] + v->source_offset, v->bytes);
        }
    }
    return NACRE_STATUS_OK;
}

static int32_t tensor(const nacre_plan_t *plan, uint32_t number, nacre_tensor_t *tensor)
{
    const nacre_plan_tensor_t *const t =
        NACRE_RECORDS(plan, TENSORS, nacre_plan_tensor_t) + number;
    if (plan->state != NACRE_STATE_PREPARED) {
        return NACRE_STATUS_NOT_PREPARED;
    }
    tensor->data =
        t->region == NACRE_NONE ? NULL : plan->frame.bases[t->region] + t->offset;
    tensor->bytes = t->bytes;
    tensor->type = t->type;
    tensor->rank = t->rank;
    tensor->dims = t->dims;
    tensor->scale = t->scale;
    tensor->zero_point = t->zero_point;
    tensor->name = t->name == NACRE_NONE ? "" : (const char *)(plan->strings + t->name);
    return NACRE_STATUS_OK;
}

int32_t nacre_plan_input(const nacre_plan_t *plan, uint32_t index, nacre_tensor_t *to)
{
    if (plan == NULL || to == NULL) {
        return NACRE_STATUS_NULL;
    }
    return index >= plan->inputs ? NACRE_STATUS_NO_TENSOR : tensor(plan, index, to);
}

int32_t nacre_plan_output(const nacre_plan_t *plan, uint32_t index, nacre_tensor_t *to)
{
    if (plan == NULL || to == NULL) {
        return NACRE_STATUS_NULL;
    }
    return index >= plan->outputs ? NACRE_STATUS_NO_TENSOR
                                  : tensor(plan, plan->inputs + index, to);
}
