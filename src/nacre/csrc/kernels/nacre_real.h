/* SPDX-License-Identifier: Apache-2.0 */
/* Rounding of real numbers, half away from zero, without the mathematics library. */
#ifndef NACRE_REAL_H
#define NACRE_REAL_H

#include "nacre_kernel.h"

/* round(x), |x| < 2^31. */
NACRE_CODE
static inline int32_t nacre_round_f32(float x)
{
    const int32_t whole = (int32_t)x;
    const float rest = x - (float)whole;
    return whole + (rest >= 0.5f ? 1 : 0) - (rest <= -0.5f ? 1 : 0);
}

/* round(x), |x| < 2^31. */
NACRE_CODE
static inline int32_t nacre_round_f64(double x)
{
    const int32_t whole = (int32_t)x;
    const double rest = x - (double)whole;
    return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
}

/* round(acc * scale) in double precision, kept within +-2^30 so that an offset can be added. */
NACRE_CODE
static inline int32_t nacre_scale_real(int64_t acc, double scale)
{
    const double limit = 1073741824.0;
    const double product = (double)acc * scale;
    return nacre_round_f64(product > limit ? limit : product < -limit ? -limit : product);
}

#endif
