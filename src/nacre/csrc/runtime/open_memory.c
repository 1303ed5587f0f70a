/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a plan: regions, first values of variables, inputs and outputs. */
#include "runtime_parts.h"

/* Is a run of bytes of the file inside the section of constants? */
static int32_t in_constants(const nacre_plan_t *plan, uint32_t offset, uint32_t bytes)
{
    const uint8_t *const base = NACRE_RECORDS(plan, CONSTANTS, uint8_t);
    if (base == NULL) {
        return bytes == 0u;
    }
    const uint32_t first = (uint32_t)(base - plan->file);
    return offset >= first && nacre_inside(offset - first, bytes, NACRE_COUNT(plan, CONSTANTS));
}

static int32_t in_arena(const nacre_plan_header_t *header, const nacre_plan_region_t *r)
{
    return r->arena < NACRE_MAX_ARENAS && r->offset % header->arena_alignment == 0u &&
           nacre_inside(r->offset, r->bytes, header->arena_bytes[r->arena]);
}

static int32_t region_is_sound(const nacre_plan_t *plan, const nacre_plan_header_t *header,
                               const nacre_plan_region_t *r)
{
    if (r->bytes > (UINT32_C(1) << NACRE_OFFSET_BITS)) {
        return 0;
    }
    switch (r->kind) {
    case NACRE_REGION_SCRATCH:
    case NACRE_REGION_PERSISTENT:
        return in_arena(header, r) && (r->arena != 0u || r->offset >= header->fast_reserved);
    case NACRE_REGION_CONSTANT:
        return r->offset % header->file_alignment == 0u && in_constants(plan, r->offset, r->bytes);
    case NACRE_REGION_STAGED:
        return in_arena(header, r) && (r->arena != 0u || r->offset >= header->fast_reserved) &&
               r->source % NACRE_SECTION_ALIGNMENT == 0u &&
               in_constants(plan, r->source, r->bytes);
    case NACRE_REGION_UNPACKED:
        return in_arena(header, r) && r->arena == 0u &&
               nacre_inside(r->offset, r->bytes, header->fast_reserved);
    default:
        return 0;
    }
}

static int32_t regions_overlap(const nacre_plan_region_t *a, const nacre_plan_region_t *b)
{
    if (a->kind == NACRE_REGION_CONSTANT || b->kind == NACRE_REGION_CONSTANT ||
        a->arena != b->arena || a->bytes == 0u || b->bytes == 0u) {
        return 0;
    }
    return a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

static int32_t open_regions(nacre_plan_t *plan, const nacre_plan_header_t *header)
{
    const nacre_plan_region_t *const r = NACRE_RECORDS(plan, REGIONS, nacre_plan_region_t);
    if (NACRE_COUNT(plan, REGIONS) > NACRE_MAX_REGIONS) {
        return NACRE_STATUS_BAD_REGION;
    }
    for (uint32_t i = 0; i < NACRE_COUNT(plan, REGIONS); ++i) {
        if (!region_is_sound(plan, header, r + i)) {
            return nacre_refuse(plan, NACRE_STATUS_BAD_REGION, i);
        }
        for (uint32_t j = 0; j < i; ++j) {
            if (regions_overlap(r + i, r + j)) {
                return nacre_refuse(plan, NACRE_STATUS_BAD_REGION, i);
            }
        }
    }
    return NACRE_STATUS_OK;
}

static int32_t open_variables(nacre_plan_t *plan)
{
    const nacre_plan_region_t *const r = NACRE_RECORDS(plan, REGIONS, nacre_plan_region_t);
    const nacre_plan_variable_t *v = NACRE_RECORDS(plan, VARIABLES, nacre_plan_variable_t);
    for (uint32_t i = 0; i < NACRE_COUNT(plan, VARIABLES); ++i, ++v) {
        const uint32_t regions = NACRE_COUNT(plan, REGIONS);
        if (v->region >= regions || v->source_region >= regions ||
            r[v->region].kind != NACRE_REGION_PERSISTENT ||
            (r[v->source_region].kind != NACRE_REGION_CONSTANT &&
             r[v->source_region].kind != NACRE_REGION_STAGED) ||
            !nacre_inside(v->offset, v->bytes, r[v->region].bytes) ||
            !nacre_inside(v->source_offset, v->bytes, r[v->source_region].bytes)) {
            return nacre_refuse(plan, NACRE_STATUS_BAD_VARIABLE, i);
        }
    }
    return NACRE_STATUS_OK;
}

/* In a region, which inputs may write; or with the caller, who has callbacks for its rows. */
static int32_t is_somewhere(const nacre_plan_t *plan, const nacre_plan_tensor_t *t)
{
    const nacre_plan_region_t *const r = NACRE_RECORDS(plan, REGIONS, nacre_plan_region_t);
    if (t->region == NACRE_NONE) {
        return t->offset == 0u;
    }
    return t->region < NACRE_COUNT(plan, REGIONS) &&
           nacre_inside(t->offset, t->bytes, r[t->region].bytes) &&
           (t->role == 1u || nacre_writable(r + t->region));
}

static int32_t tensor_is_sound(const nacre_plan_t *plan, const nacre_plan_tensor_t *t)
{
    static const uint8_t sizes[13] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 8};
    if (t->role > 1u || t->type >= 13u || t->rank > NACRE_MAX_RANK || !is_somewhere(plan, t)) {
        return 0;
    }
    uint64_t bytes = sizes[t->type];
    if (t->offset % (t->type == NACRE_TYPE_COMPLEX64 ? 4u : bytes) != 0u) {
        return 0;
    }
    for (uint32_t d = 0; d < NACRE_MAX_RANK; ++d) {
        bytes *= d < t->rank ? t->dims[d] : 1u;
        if (bytes > UINT32_MAX) {
            return 0;
        }
    }
    const int32_t named = t->name == NACRE_NONE || t->name < plan->strings_bytes;
    return bytes == t->bytes && named;
}

static int32_t open_tensors(nacre_plan_t *plan)
{
    const nacre_plan_tensor_t *t = NACRE_RECORDS(plan, TENSORS, nacre_plan_tensor_t);
    for (uint32_t i = 0; i < NACRE_COUNT(plan, TENSORS); ++i, ++t) {
        if (!tensor_is_sound(plan, t) || (t->role == 0u && plan->outputs != 0u)) {
            return nacre_refuse(plan, NACRE_STATUS_BAD_TENSOR, i);
        }
        plan->inputs += t->role == 0u;
        plan->outputs += t->role == 1u;
    }
    return NACRE_STATUS_OK;
}

int32_t nacre_open_memory(nacre_plan_t *plan, const nacre_plan_header_t *header)
{
    int32_t status = open_regions(plan, header);
    status = status == NACRE_STATUS_OK ? open_variables(plan) : status;
    return status == NACRE_STATUS_OK ? open_tensors(plan) : status;
}
