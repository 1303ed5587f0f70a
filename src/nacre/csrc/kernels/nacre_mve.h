/* SPDX-License-Identifier: Apache-2.0 */
/* What the Helium kernels share: attributes, bytes copied and filled 16 at a time. */
#ifndef NACRE_MVE_H
#define NACRE_MVE_H

#include "nacre_kernel.h"

/* A function that is one piece of assembly; one whose frame others should not carry. */
#define NACRE_NAKED __attribute__((naked))
#define NACRE_APART __attribute__((noinline))
#define NACRE_UNUSED __attribute__((unused))

/* Code around the micro-kernels: gcc's -O3 would unroll its short loops many times over. */
#if defined(__GNUC__) && !defined(__clang__)
#define NACRE_AROUND __attribute__((optimize("O2")))
#else
#define NACRE_AROUND
#endif

/* n >= 0 bytes; they do not overlap. */
NACRE_CODE
static inline void nacre_copy_mve(int8_t *to, const int8_t *from, int32_t n)
{
    __asm volatile(
        "wlstp.8    lr, %[n], 2f\n"
        "1:\n"
        "vldrb.u8   q0, [%[from]], #16\n"
        "vstrb.8    q0, [%[to]], #16\n"
        "letp       lr, 1b\n"
        "2:\n"
        : [to] "+r"(to), [from] "+r"(from)
        : [n] "r"(n)
        : "lr", "q0", "memory");
}

NACRE_CODE
static inline void nacre_fill_mve(int8_t *to, int32_t value, int32_t n)
{
    __asm volatile(
        "vdup.8     q0, %[value]\n"
        "wlstp.8    lr, %[n], 2f\n"
        "1:\n"
        "vstrb.8    q0, [%[to]], #16\n"
        "letp       lr, 1b\n"
        "2:\n"
        : [to] "+r"(to)
        : [n] "r"(n), [value] "r"(value)
        : "lr", "q0", "memory");
}

#endif
