/* SPDX-License-Identifier: Apache-2.0 */
/* Filling with one value, and padding around rows.
 *
 * A value has `element` bytes, 1, 2, 4 or 8; its bits are value[0] and, for 8 bytes, value[1] on
 * top. Sizes count bytes and are multiples of `element`.
 */
#ifndef NACRE_FILL_H
#define NACRE_FILL_H

#include <string.h>

#include "nacre_kernel.h"

typedef struct {
    int32_t bytes;
    int32_t element;
    int32_t value[2];
} nacre_fill_params_t;

/* Output row r is input row r - pad_top, or all value where that is outside [0, input_h).
 * A row is: lead, then `pieces` times (before, run of the input, after), then trail.
 * input_row = pieces * run; output_row = lead + pieces * (before + run + after) + trail.
 * Rows live in rings of input_ring and output_ring rows. No aliasing. */
typedef struct {
    int32_t input_h;
    int32_t pad_top;
    int32_t lead;
    int32_t pieces;
    int32_t before;
    int32_t run;
    int32_t after;
    int32_t trail;
    int32_t output_row;
    int32_t element;
    int32_t value[2];
    int32_t input_ring;
    int32_t output_ring;
} nacre_pad_params_t;

/* Writes `bytes` bytes of the value and returns the place after them. */
NACRE_CODE
static inline uint8_t *nacre_fill_bytes(uint8_t *output, int32_t bytes, int32_t element,
                                        const int32_t value[2])
{
    uint8_t *const end = output + bytes;
    const uint16_t half = (uint16_t)value[0];
    const uint64_t wide = (uint64_t)(uint32_t)value[1] << 32 | (uint32_t)value[0];
    if (element == 1) {
        memset(output, value[0], (size_t)bytes);
        return end;
    }
    for (; element == 2 && output < end; output += 2) {
        memcpy(output, &half, 2);
    }
    for (; element == 4 && output < end; output += 4) {
        memcpy(output, &value[0], 4);
    }
    for (; output < end; output += 8) {
        memcpy(output, &wide, 8);
    }
    return end;
}

/* output[0, bytes) = value, repeated. */
void nacre_fill(void *output, const nacre_fill_params_t *p);

/* The rows above, in order. */
void nacre_pad(const void *input, void *output, const nacre_pad_params_t *p, nacre_rows_t rows);

#endif
