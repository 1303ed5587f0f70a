/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a plan: what each call of a kernel reaches is inside its regions. */
#include <string.h>

#include "nacre_check.h"
#include "runtime_parts.h"

static uint32_t size_of_letter(char letter)
{
    const char lower = (char)(letter | 0x20);
    return lower == 'b' ? 1u : lower == 'h' ? 2u : lower == 'w' ? 4u : lower == 'd' ? 8u : 0u;
}

static int32_t is_capital(char letter) { return (letter & 0x20) == 0; }

/* A pointer argument; 0 when it is not possible. */
static int32_t take_pointer(const nacre_plan_t *plan, nacre_check_t *c, char letter, uint32_t word)
{
    const uint32_t number = nacre_region_of(word);
    const uint32_t offset = nacre_offset_of(word);
    const int32_t k = c->pointers++;
    if (k >= NACRE_MAX_POINTERS || number >= NACRE_COUNT(plan, REGIONS)) {
        return 0;
    }
    const nacre_plan_region_t *const r = NACRE_RECORDS(plan, REGIONS, nacre_plan_region_t) + number;
    const uint32_t size = size_of_letter(letter);
    if (offset > r->bytes || offset % size != 0u || (is_capital(letter) && !nacre_writable(r))) {
        return 0;
    }
    c->place[k] = word;
    c->size[k] = (uint8_t)(size | (is_capital(letter) ? NACRE_WRITTEN : 0u));
    if (r->kind == NACRE_REGION_CONSTANT) {
        c->content[k] = plan->file + r->offset + offset;
    } else if (r->kind == NACRE_REGION_STAGED) {
        c->content[k] = plan->file + r->source + offset;
    }
    return 1;
}

static int32_t take_params(const nacre_plan_t *plan, nacre_check_t *c, int32_t n, uint32_t bytes,
                           uint32_t offset)
{
    if (bytes == 0u || offset % 4u != 0u ||
        !nacre_inside(offset, bytes, NACRE_COUNT(plan, PARAMS))) {
        return 0;
    }
    c->p[n] = NACRE_RECORDS(plan, PARAMS, uint8_t) + offset;
    return 1;
}

/* The argument of one letter, from the words of a call; 0 when it is not possible. */
static int32_t take(const nacre_plan_t *plan, const nacre_kernel_t *kernel, nacre_check_t *c,
                    char letter, const uint32_t *word, int32_t *structs, int32_t *numbers)
{
    if (size_of_letter(letter) != 0u) {
        return take_pointer(plan, c, letter, word[0]);
    }
    if (letter == 'p') {
        const int32_t n = (*structs)++;
        return n < 2 && take_params(plan, c, n, kernel->params_bytes[n], word[0]);
    }
    if (letter == 'r') {
        c->begin = (int32_t)word[0];
        c->end = (int32_t)word[1];
        return c->begin >= 0 && c->begin <= c->end && c->end <= NACRE_MOST_ROWS;
    }
    if (letter == 'i') {
        const int32_t n = (*numbers)++;
        if (n >= 2) {
            return 0;
        }
        c->number[n] = (int32_t)word[0];
    }
    return 1;
}

/* All arguments; every kernel has at least one, so words are there when this returns 1. */
static int32_t take_all(const nacre_plan_t *plan, const nacre_kernel_t *kernel, nacre_check_t *c,
                        uint32_t first)
{
    const uint32_t *const words = NACRE_RECORDS(plan, ARGUMENTS, uint32_t);
    int32_t structs = 0;
    int32_t numbers = 0;
    for (const char *letter = kernel->arguments; *letter != '\0'; ++letter) {
        const uint32_t taken = *letter == 'r' ? 2u : 1u;
        if (!nacre_inside(first, taken, NACRE_COUNT(plan, ARGUMENTS)) ||
            !take(plan, kernel, c, *letter, words + first, &structs, &numbers)) {
            return 0;
        }
        first += taken;
    }
    return 1;
}

/* Bytes that a pointer reaches from it on, and before it; -1 for too many. */
static int64_t reach(const nacre_check_t *c, int32_t k, int64_t elements)
{
    return nacre_times(elements, c->size[k] & ~NACRE_WRITTEN);
}

static int32_t all_inside(const nacre_plan_t *plan, const nacre_check_t *c)
{
    for (int32_t k = 0; k < c->pointers; ++k) {
        const nacre_plan_region_t *const r =
            NACRE_RECORDS(plan, REGIONS, nacre_plan_region_t) + nacre_region_of(c->place[k]);
        const int64_t offset = nacre_offset_of(c->place[k]);
        const int64_t after = reach(c, k, c->need[k]);
        const int64_t before = reach(c, k, c->below[k]);
        if (after < 0 || before < 0 || before > offset || after > (int64_t)r->bytes - offset ||
            (c->alignment[k] != 0u && offset % c->alignment[k] != 0)) {
            return 0;
        }
    }
    return 1;
}

/* What is written overlaps nothing else. */
static int32_t all_apart(const nacre_check_t *c)
{
    for (int32_t a = 0; a < c->pointers; ++a) {
        for (int32_t b = 0; b < c->pointers; ++b) {
            if (a != b && (c->size[a] & NACRE_WRITTEN) != 0u &&
                !nacre_apart(c, a, -reach(c, a, c->below[a]),
                             reach(c, a, c->need[a]) + reach(c, a, c->below[a]), b,
                             -reach(c, b, c->below[b]),
                             reach(c, b, c->need[b]) + reach(c, b, c->below[b]))) {
                return 0;
            }
        }
    }
    return 1;
}

int32_t nacre_open_call(nacre_plan_t *plan, const nacre_plan_action_t *action)
{
    nacre_check_t c;
    memset(&c, 0, sizeof c);
    if (action->target >= NACRE_COUNT(plan, KERNELS)) {
        return NACRE_STATUS_BAD_ACTION;
    }
    const nacre_kernel_t *const kernel = plan->table->kernels + plan->kernels[action->target];
    c.variant = kernel->variant;
    if (!take_all(plan, kernel, &c, action->arguments)) {
        return NACRE_STATUS_BAD_ARGUMENTS;
    }
    if (!kernel->check(&c)) {
        return NACRE_STATUS_BAD_PARAMETERS;
    }
    if (!all_inside(plan, &c)) {
        return NACRE_STATUS_OUT_OF_BOUNDS;
    }
    if (kernel->check_tables != NULL && !kernel->check_tables(&c)) {
        return NACRE_STATUS_BAD_TABLE;
    }
    if (!all_inside(plan, &c)) {
        return NACRE_STATUS_OUT_OF_BOUNDS;
    }
    return kernel->may_overlap || all_apart(&c) ? NACRE_STATUS_OK : NACRE_STATUS_OVERLAP;
}
