/* SPDX-License-Identifier: Apache-2.0 */
/* int8 average pool with Helium: sixteen channels at a time, sums of 16 bits. */
#include "nacre_pool.h"

#if defined(__ARM_FEATURE_MVE)

#include <arm_mve.h>

enum { LANES = 16, HALF = 8 };

#include "nacre_pool_mve_body.h"

/* sum / taps, ties away from zero, clamped; inverse = floor(2^32 / taps) + 1 makes the quotient of
 * numbers of 16 bits exact. A single tap is itself. */
NACRE_CODE
static inline int16x8_t mean(int16x8_t sum, int32_t taps, uint32_t inverse,
                             const nacre_pool2d_params_t *p)
{
    if (taps > 1) {
        const uint16x8_t size = vaddq_n_u16((uint16x8_t)vabsq_s16(sum), (uint16_t)(taps / 2));
        const uint32x4_t factor = vdupq_n_u32(inverse);
        const uint32x4_t even = vmulhq_u32(vmovlbq_u16(size), factor);
        const uint32x4_t odd = vmulhq_u32(vmovltq_u16(size), factor);
        const int16x8_t quotient = (int16x8_t)vmovntq_u32(vmovnbq_u32(size, even), odd);
        sum = vnegq_m_s16(quotient, quotient, vcmpltq_n_s16(sum, 0));
    }
    sum = vmaxq_s16(sum, vdupq_n_s16((int16_t)p->activation_min));
    return vminq_s16(sum, vdupq_n_s16((int16_t)p->activation_max));
}

NACRE_CODE
static void block(const int8_t *input, const window_t *window, const nacre_pool2d_params_t *p,
                  int32_t channels, int8_t *y)
{
    const mve_pred16_t first = vctp16q((uint32_t)channels);
    const mve_pred16_t second = vctp16q((uint32_t)nacre_max(channels - HALF, 0));
    int16x8_t a = vdupq_n_s16(0);
    int16x8_t b = vdupq_n_s16(0);
    for (int32_t iy = window->top; iy < window->bottom; ++iy) {
        const int8_t *x = window_row(input, iy, window, p);
        if (channels >= LANES) {
            for (int32_t n = window->columns; n > 0; --n) {
                a = vaddq_s16(a, vldrbq_s16(x));
                b = vaddq_s16(b, vldrbq_s16(x + HALF));
                x += p->channels;
            }
        } else {
            for (int32_t n = window->columns; n > 0; --n) {
                a = vaddq_s16(a, vldrbq_z_s16(x, first));
                b = vaddq_s16(b, vldrbq_z_s16(x + HALF, second));
                x += p->channels;
            }
        }
    }
    const int32_t taps = (window->bottom - window->top) * window->columns;
    const uint32_t inverse = UINT32_MAX / (uint32_t)taps + 1;
    vstrbq_p_s16(y, mean(a, taps, inverse, p), first);
    vstrbq_p_s16(y + HALF, mean(b, taps, inverse, p), second);
}

NACRE_CODE
void nacre_average_pool2d_s8_mve(const int8_t *input, int8_t *output,
                                 const nacre_pool2d_params_t *p, nacre_rows_t rows)
{
    pool(input, output, p, rows);
}

#endif
