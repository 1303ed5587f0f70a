/* SPDX-License-Identifier: Apache-2.0 */
/* LZ4 blocks: every length and distance is checked, so damaged bytes give 0, not a crash. */
#include <string.h>

#include "runtime_parts.h"

/* A length of 15 or more goes on in further bytes; 0xFFFFFFFF when they end too early. */
static uint32_t length_of(uint32_t nibble, const uint8_t **from, const uint8_t *end)
{
    uint32_t length = nibble;
    uint32_t more = nibble == 15u ? 255u : 0u;
    while (more == 255u) {
        if (*from == end || length > (UINT32_C(1) << 30)) {
            return NACRE_NONE;
        }
        more = *(*from)++;
        length += more;
    }
    return length;
}

int32_t nacre_unpack(const uint8_t *from, uint32_t packed, uint8_t *to, uint32_t bytes)
{
    const uint8_t *const end = from + packed;
    uint32_t done = 0;
    while (from != end) {
        const uint32_t token = *from++;
        const uint32_t literals = length_of(token >> 4, &from, end);
        if (literals > (uint32_t)(end - from) || literals > bytes - done) {
            return 0;
        }
        memcpy(to + done, from, literals);
        from += literals;
        done += literals;
        if (from == end) {
            break; /* the last sequence has literals only */
        }
        if (end - from < 2) {
            return 0;
        }
        const uint32_t distance = (uint32_t)from[0] | (uint32_t)from[1] << 8;
        from += 2;
        const uint32_t match = length_of(token & 15u, &from, end);
        if (match == NACRE_NONE || distance == 0u || distance > done || match + 4u > bytes - done) {
            return 0;
        }
        for (uint32_t i = 0; i < match + 4u; ++i, ++done) {
            to[done] = to[done - distance];
        }
    }
    return done == bytes;
}
