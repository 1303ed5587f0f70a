/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a plan: header, checksum and table of sections. */
#include <string.h>

#include "runtime_parts.h"

enum { MAX_SECTIONS = 64, LARGEST_ALIGNMENT = 4096 };

static int32_t is_alignment(uint32_t x)
{
    return x >= NACRE_SECTION_ALIGNMENT && x <= LARGEST_ALIGNMENT && (x & (x - 1u)) == 0u;
}

static int32_t check_header(const nacre_plan_header_t *header, size_t bytes)
{
    if (header->magic != NACRE_PLAN_MAGIC) {
        return NACRE_STATUS_NOT_A_PLAN;
    }
    if (header->version >> 16 != NACRE_PLAN_MAJOR) {
        return NACRE_STATUS_MAJOR_VERSION;
    }
    if (header->file_bytes > bytes || header->file_bytes < sizeof *header) {
        return NACRE_STATUS_TOO_SHORT;
    }
    return NACRE_STATUS_OK;
}

static uint32_t checksum(const uint8_t *file, uint32_t bytes)
{
    static const uint8_t zero[4] = {0, 0, 0, 0};
    const size_t at = offsetof(nacre_plan_header_t, crc);
    uint32_t crc = nacre_crc(UINT32_C(0xffffffff), file, at);
    crc = nacre_crc(crc, zero, sizeof zero);
    return ~nacre_crc(crc, file + at + sizeof zero, bytes - at - sizeof zero);
}

static int32_t check_numbers(const nacre_plan_header_t *header)
{
    if (!is_alignment(header->file_alignment) || !is_alignment(header->arena_alignment) ||
        header->section_count > MAX_SECTIONS || header->fast_reserved > header->arena_bytes[0]) {
        return NACRE_STATUS_BAD_HEADER;
    }
    for (uint32_t i = 0; i < NACRE_MAX_ARENAS; ++i) {
        if (header->arena_bytes[i] > (UINT32_C(1) << 31)) {
            return NACRE_STATUS_BAD_HEADER;
        }
    }
    return NACRE_STATUS_OK;
}

/* Bytes of a record of a kind; 1 for plain bytes, 0 for unknown kinds. */
static uint32_t record_bytes(uint32_t kind)
{
    static const uint8_t bytes[16] = {
        sizeof(nacre_plan_kernel_t),
        1, /* names */
        sizeof(nacre_plan_region_t),
        sizeof(nacre_plan_variable_t),
        sizeof(nacre_plan_tensor_t),
        sizeof(nacre_plan_segment_t),
        sizeof(nacre_plan_action_t),
        4, /* arguments */
        1, /* params */
        4, /* ends */
        sizeof(nacre_plan_block_t),
        1, /* constants */
        1, /* packed */
        sizeof(nacre_plan_move_t),
        sizeof(nacre_plan_box_t),
        sizeof(nacre_plan_loop_t)};
    return kind >= 1u && kind <= 16u ? bytes[kind - 1u] : 0u;
}

static int32_t check_section(const nacre_plan_header_t *header, uint32_t number)
{
    const nacre_plan_section_t *const sections = (const nacre_plan_section_t *)(header + 1);
    const nacre_plan_section_t *const s = sections + number;
    const uint32_t table = (uint32_t)(sizeof *header + header->section_count * sizeof *s);
    if (s->offset % NACRE_SECTION_ALIGNMENT != 0u || s->offset < table ||
        !nacre_inside(s->offset, s->bytes, header->file_bytes)) {
        return NACRE_STATUS_BAD_SECTION;
    }
    for (uint32_t i = 0; i < number; ++i) {
        const int32_t apart = sections[i].offset + sections[i].bytes <= s->offset ||
                              s->offset + s->bytes <= sections[i].offset;
        if (sections[i].kind == s->kind || (!apart && s->bytes != 0u && sections[i].bytes != 0u)) {
            return NACRE_STATUS_BAD_SECTION;
        }
    }
    return NACRE_STATUS_OK;
}

static int32_t take_section(nacre_plan_t *plan, const nacre_plan_section_t *s)
{
    const uint32_t bytes = record_bytes(s->kind);
    if (s->kind == NACRE_SECTION_STRINGS) {
        plan->strings = plan->file + s->offset;
        plan->strings_bytes = s->bytes;
        if (s->bytes != 0u && plan->strings[s->bytes - 1u] != 0u) {
            return NACRE_STATUS_BAD_NAME;
        }
        return NACRE_STATUS_OK;
    }
    if (bytes == 0u) {
        return (s->flags & NACRE_OPTIONAL) != 0u ? NACRE_STATUS_OK : NACRE_STATUS_UNKNOWN_SECTION;
    }
    if (s->bytes % bytes != 0u) {
        return NACRE_STATUS_BAD_SECTION;
    }
    plan->sections[s->kind - 1u] = plan->file + s->offset;
    plan->counts[s->kind - 1u] = s->bytes / bytes;
    return NACRE_STATUS_OK;
}

int32_t nacre_open_sections(nacre_plan_t *plan, const nacre_plan_header_t *header)
{
    const nacre_plan_section_t *const sections = (const nacre_plan_section_t *)(header + 1);
    if (!nacre_inside(sizeof *header, (uint32_t)(header->section_count * sizeof *sections),
                      header->file_bytes)) {
        return NACRE_STATUS_BAD_HEADER;
    }
    for (uint32_t i = 0; i < header->section_count; ++i) {
        int32_t status = check_section(header, i);
        status = status == NACRE_STATUS_OK ? take_section(plan, sections + i) : status;
        if (status != NACRE_STATUS_OK) {
            return nacre_refuse(plan, status, i);
        }
    }
    if (NACRE_COUNT(plan, REGIONS) == 0u || NACRE_COUNT(plan, SEGMENTS) == 0u) {
        return NACRE_STATUS_MISSING_SECTION;
    }
    return NACRE_STATUS_OK;
}

static int32_t open_parts(nacre_plan_t *plan, const nacre_plan_header_t *header)
{
    int32_t status = check_numbers(header);
    if (status == NACRE_STATUS_OK && (uintptr_t)plan->file % header->file_alignment != 0u) {
        status = NACRE_STATUS_FILE_MISALIGNED;
    }
    status = status == NACRE_STATUS_OK ? nacre_open_sections(plan, header) : status;
    status = status == NACRE_STATUS_OK ? nacre_open_memory(plan, header) : status;
    status = status == NACRE_STATUS_OK ? nacre_open_kernels(plan, header) : status;
    return status == NACRE_STATUS_OK ? nacre_open_actions(plan) : status;
}

int32_t nacre_plan_open(nacre_plan_t *plan, const void *file, size_t bytes,
                        const nacre_kernel_table_t *table)
{
    if (plan == NULL || file == NULL || table == NULL) {
        return NACRE_STATUS_NULL;
    }
    memset(plan, 0, sizeof *plan);
    if (bytes < sizeof(nacre_plan_header_t)) {
        return NACRE_STATUS_TOO_SHORT;
    }
    if ((uintptr_t)file % NACRE_SECTION_ALIGNMENT != 0u) {
        return NACRE_STATUS_FILE_MISALIGNED;
    }
    const nacre_plan_header_t *const header = (const nacre_plan_header_t *)file;
    plan->file = (const uint8_t *)file;
    plan->table = table;
    int32_t status = check_header(header, bytes);
    if (status == NACRE_STATUS_OK && checksum(plan->file, header->file_bytes) != header->crc) {
        status = NACRE_STATUS_CHECKSUM;
    }
    status = status == NACRE_STATUS_OK ? open_parts(plan, header) : status;
    plan->state = status == NACRE_STATUS_OK ? (uint32_t)NACRE_STATE_OPEN : 0u;
    return status;
}

size_t nacre_plan_arena_bytes(const nacre_plan_t *plan, uint32_t arena)
{
    const nacre_plan_header_t *const header = (const nacre_plan_header_t *)(const void *)plan->file;
    return plan->state == 0u || arena >= NACRE_MAX_ARENAS ? 0u : header->arena_bytes[arena];
}

size_t nacre_plan_arena_alignment(const nacre_plan_t *plan)
{
    const nacre_plan_header_t *const header = (const nacre_plan_header_t *)(const void *)plan->file;
    return plan->state == 0u ? 0u : header->arena_alignment;
}
