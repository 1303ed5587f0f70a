/* SPDX-License-Identifier: Apache-2.0 */
/* int8 max pool with Helium: sixteen channels at a time. */
#include "nacre_pool.h"

#if defined(__ARM_FEATURE_MVE)

#include <arm_mve.h>

enum { LANES = 16 };

#include "nacre_pool_mve_body.h"

NACRE_CODE
static void block(const int8_t *input, const window_t *window, const nacre_pool2d_params_t *p,
                  int32_t channels, int8_t *y)
{
    const mve_pred16_t inside = vctp8q((uint32_t)channels);
    int8x16_t largest = vdupq_n_s8(INT8_MIN);
    for (int32_t iy = window->top; iy < window->bottom; ++iy) {
        const int8_t *x = window_row(input, iy, window, p);
        if (channels >= LANES) {
            for (int32_t n = window->columns; n > 0; --n) {
                largest = vmaxq_s8(largest, vldrbq_s8(x));
                x += p->channels;
            }
        } else {
            for (int32_t n = window->columns; n > 0; --n) {
                largest = vmaxq_s8(largest, vldrbq_z_s8(x, inside));
                x += p->channels;
            }
        }
    }
    largest = vmaxq_s8(largest, vdupq_n_s8((int8_t)p->activation_min));
    largest = vminq_s8(largest, vdupq_n_s8((int8_t)p->activation_max));
    vstrbq_p_s8(y, largest, inside);
}

NACRE_CODE
void nacre_max_pool2d_s8_mve(const int8_t *input, int8_t *output, const nacre_pool2d_params_t *p,
                             nacre_rows_t rows)
{
    pool(input, output, p, rows);
}

#endif
