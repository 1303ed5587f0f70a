/* SPDX-License-Identifier: Apache-2.0 */
/* Float sums on Helium: eight output channels in two vectors, one or three pixels at a time.
 *
 *            w[0..3]  w[4..7]      per tap: the weights of eight channels, two loads
 *   x pixel 0   q0       q1        one scalar per pixel in a core register
 *   x pixel 1   q2       q3        and two products per pixel: vfma vector by scalar
 *   x pixel 2   q4       q5
 *
 * gcc moves the scalars through the floating-point registers when it is left to itself.
 */
#ifndef NACRE_LANES_F32_MVE_H
#define NACRE_LANES_F32_MVE_H

#include "nacre_kernel.h"

#if defined(__ARM_FEATURE_MVE) && (__ARM_FEATURE_MVE & 2)
#include <arm_mve.h>

enum { NACRE_LANES_MVE = 8 };

typedef struct {
    float32x4_t low;
    float32x4_t high;
} nacre_lanes_t;

/* acc[j] += sum over i < n of x[i] * w[8 i + j]; n >= 1. */
NACRE_CODE
static inline void nacre_lanes_one_mve(const float *x, const float *w, int32_t n,
                                       nacre_lanes_t *acc)
{
    float32x4_t low;
    float32x4_t high;
    int32_t value;
    __asm volatile("dls lr, %[n]\n"
                   "1:\n"
                   "ldr %[v], [%[x]], #4\n"
                   "vldrw.u32 %q[l], [%[w]], #16\n"
                   "vldrw.u32 %q[h], [%[w]], #16\n"
                   "vfma.f32 %q[a], %q[l], %[v]\n"
                   "vfma.f32 %q[b], %q[h], %[v]\n"
                   "le lr, 1b\n"
                   : [x] "+r"(x), [w] "+r"(w), [v] "=&r"(value), [l] "=&w"(low),
                     [h] "=&w"(high), [a] "+w"(acc->low), [b] "+w"(acc->high)
                   : [n] "r"(n)
                   : "lr", "memory");
}

/* The same for three pixels. */
NACRE_CODE
static inline void nacre_lanes_three_mve(const float *const x[3], const float *w, int32_t n,
                                         nacre_lanes_t acc[3])
{
    const float *x0 = x[0];
    const float *x1 = x[1];
    const float *x2 = x[2];
    float32x4_t low;
    float32x4_t high;
    int32_t value;
    __asm volatile("dls lr, %[n]\n"
                   "1:\n"
                   "vldrw.u32 %q[l], [%[w]], #16\n"
                   "ldr %[v], [%[x0]], #4\n"
                   "vldrw.u32 %q[h], [%[w]], #16\n"
                   "vfma.f32 %q[a], %q[l], %[v]\n"
                   "vfma.f32 %q[b], %q[h], %[v]\n"
                   "ldr %[v], [%[x1]], #4\n"
                   "vfma.f32 %q[c], %q[l], %[v]\n"
                   "vfma.f32 %q[d], %q[h], %[v]\n"
                   "ldr %[v], [%[x2]], #4\n"
                   "vfma.f32 %q[e], %q[l], %[v]\n"
                   "vfma.f32 %q[f], %q[h], %[v]\n"
                   "le lr, 1b\n"
                   : [x0] "+r"(x0), [x1] "+r"(x1), [x2] "+r"(x2), [w] "+r"(w), [v] "=&r"(value),
                     [l] "=&w"(low), [h] "=&w"(high), [a] "+w"(acc[0].low),
                     [b] "+w"(acc[0].high), [c] "+w"(acc[1].low), [d] "+w"(acc[1].high),
                     [e] "+w"(acc[2].low), [f] "+w"(acc[2].high)
                   : [n] "r"(n)
                   : "lr", "memory");
}

/* Not a number stays what it is, as in nacre_clamp_f32. */
NACRE_CODE
static inline float32x4_t nacre_clamp_mve(float32x4_t x, float32x4_t low, float32x4_t high)
{
    const float32x4_t raised = vpselq_f32(low, x, vcmpltq_f32(x, low));
    return vpselq_f32(high, raised, vcmpgtq_f32(raised, high));
}

/* y[j] = clamp(acc[j] + bias[j]) for the first n of eight channels. */
NACRE_CODE
static inline void nacre_lanes_finish_mve(const nacre_lanes_t *acc, const float *bias, float low,
                                          float high, float *y, int32_t n)
{
    const float32x4_t floor = vdupq_n_f32(low);
    const float32x4_t roof = vdupq_n_f32(high);
    const float32x4_t a = vaddq_f32(acc->low, vldrwq_f32(bias));
    const float32x4_t b = vaddq_f32(acc->high, vldrwq_f32(bias + 4));
    vstrwq_p_f32(y, nacre_clamp_mve(a, floor, roof), vctp32q((uint32_t)n));
    if (n > 4) {
        const mve_pred16_t rest = vctp32q((uint32_t)n - 4u);
        vstrwq_p_f32(y + 4, nacre_clamp_mve(b, floor, roof), rest);
    }
}

#endif
#endif
