/* SPDX-License-Identifier: Apache-2.0 */
/* What the test programs share: checks that say where they failed, and samples in and out. */
#ifndef CHECK_H
#define CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static int check_failures;

#define CHECK(condition)                                         \
    do {                                                         \
        if (!(condition)) {                                      \
            printf("failed %d: %s\n", __LINE__, #condition);     \
            ++check_failures;                                    \
        }                                                        \
    } while (0)

#define CHECK_STATUS(call, expected)                                                        \
    do {                                                                                    \
        const long got_ = (long)(call);                                                     \
        if (got_ != (long)(expected)) {                                                     \
            printf("failed %d: %s is %ld, not %ld\n", __LINE__, #call, got_, (long)(expected)); \
            ++check_failures;                                                               \
        }                                                                                   \
    } while (0)

/* Write all inputs of a sample; compare all outputs with it. `ctx` is any module's context. */
#define WRITE_INPUTS(ctx, count, bytes)                                          \
    do {                                                                         \
        const uint8_t *from_ = (bytes);                                          \
        for (int i_ = 0; i_ < (count); ++i_) {                                   \
            memcpy((ctx)->inputs[i_].data, from_, (ctx)->inputs[i_].size);       \
            from_ += (ctx)->inputs[i_].size;                                     \
        }                                                                        \
    } while (0)

#define OUTPUTS_DIFFER(ctx, count, bytes, result)                                        \
    do {                                                                                 \
        const uint8_t *want_ = (bytes);                                                  \
        (result) = 0;                                                                    \
        for (int o_ = 0; o_ < (count); ++o_) {                                           \
            (result) |= memcmp((ctx)->outputs[o_].data, want_, (ctx)->outputs[o_].size) != 0; \
            want_ += (ctx)->outputs[o_].size;                                            \
        }                                                                                \
    } while (0)

#endif
