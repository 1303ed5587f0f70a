/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the runtime share; not for callers. */
#ifndef NACRE_RUNTIME_PARTS_H
#define NACRE_RUNTIME_PARTS_H

#include "nacre_runtime.h"

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "plan files are read in place: little-endian machines only"
#endif

/* Tests that must end soon lower it. */
#ifndef NACRE_MOST_ROWS
#define NACRE_MOST_ROWS NACRE_MAX_ROWS
#endif

enum { NACRE_STATE_OPEN = 0x4f50454e, NACRE_STATE_PREPARED = 0x52454459 };

/* The records of a section; NULL and 0 where the file has none. */
#define NACRE_RECORDS(PLAN, NAME, TYPE) \
    ((const TYPE *)(const void *)(PLAN)->sections[NACRE_SECTION_##NAME - 1])
#define NACRE_COUNT(PLAN, NAME) ((PLAN)->counts[NACRE_SECTION_##NAME - 1])

static inline uint32_t nacre_region_of(uint32_t pointer) { return pointer >> NACRE_OFFSET_BITS; }
static inline uint32_t nacre_offset_of(uint32_t pointer)
{
    return pointer & ((UINT32_C(1) << NACRE_OFFSET_BITS) - 1u);
}

/* Are [offset, offset + bytes) inside [0, limit)? */
static inline int32_t nacre_inside(uint32_t offset, uint32_t bytes, uint32_t limit)
{
    return offset <= limit && bytes <= limit - offset;
}

static inline int32_t nacre_writable(const nacre_plan_region_t *region)
{
    return region->kind == NACRE_REGION_SCRATCH || region->kind == NACRE_REGION_PERSISTENT;
}

static inline int32_t nacre_refuse(nacre_plan_t *plan, int32_t status, uint32_t where)
{
    plan->where = where;
    return status;
}

uint32_t nacre_crc(uint32_t crc, const uint8_t *data, size_t bytes);

/* 1 when the block was sound and gave exactly `bytes` bytes. */
int32_t nacre_unpack(const uint8_t *from, uint32_t packed, uint8_t *to, uint32_t bytes);

/* The parts of open, in their order. */
int32_t nacre_open_sections(nacre_plan_t *plan, const nacre_plan_header_t *header);
int32_t nacre_open_memory(nacre_plan_t *plan, const nacre_plan_header_t *header);
int32_t nacre_open_kernels(nacre_plan_t *plan, const nacre_plan_header_t *header);
int32_t nacre_open_actions(nacre_plan_t *plan);
int32_t nacre_open_call(nacre_plan_t *plan, const nacre_plan_action_t *action);

#endif
