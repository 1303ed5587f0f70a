/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of one value that are not rescaled. Tensors are walked as nacre_elementwise.h says. */
#ifndef NACRE_UNARY_H
#define NACRE_UNARY_H

#include "nacre_elementwise.h"

/* y = |x|, y = -x; integers wrap. */
void nacre_abs_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows);
void nacre_abs_s32(const int32_t *input, int32_t *output, const nacre_each_t *shape,
                   nacre_rows_t rows);
void nacre_abs_s64(const int64_t *input, int64_t *output, const nacre_each_t *shape,
                   nacre_rows_t rows);
void nacre_neg_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows);
void nacre_neg_s32(const int32_t *input, int32_t *output, const nacre_each_t *shape,
                   nacre_rows_t rows);
void nacre_neg_s64(const int64_t *input, int64_t *output, const nacre_each_t *shape,
                   nacre_rows_t rows);

/* y = 1, 0 or -1 as x is above, at or below 0. */
void nacre_sign_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows);
void nacre_sign_s32(const int32_t *input, int32_t *output, const nacre_each_t *shape,
                    nacre_rows_t rows);

/* The functions of their names; round goes to the even neighbour at ties. */
void nacre_square_f32(const float *input, float *output, const nacre_each_t *shape,
                      nacre_rows_t rows);
void nacre_sqrt_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows);
void nacre_rsqrt_f32(const float *input, float *output, const nacre_each_t *shape,
                     nacre_rows_t rows);
void nacre_erf_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows);
void nacre_exp_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows);
void nacre_log_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows);
void nacre_sin_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows);
void nacre_cos_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows);
void nacre_tan_f32(const float *input, float *output, const nacre_each_t *shape, nacre_rows_t rows);
void nacre_asin_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows);
void nacre_acos_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows);
void nacre_atan_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows);
void nacre_sinh_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows);
void nacre_cosh_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows);
void nacre_asinh_f32(const float *input, float *output, const nacre_each_t *shape,
                     nacre_rows_t rows);
void nacre_acosh_f32(const float *input, float *output, const nacre_each_t *shape,
                     nacre_rows_t rows);
void nacre_atanh_f32(const float *input, float *output, const nacre_each_t *shape,
                     nacre_rows_t rows);
void nacre_floor_f32(const float *input, float *output, const nacre_each_t *shape,
                     nacre_rows_t rows);
void nacre_ceil_f32(const float *input, float *output, const nacre_each_t *shape,
                    nacre_rows_t rows);
void nacre_round_f32(const float *input, float *output, const nacre_each_t *shape,
                     nacre_rows_t rows);

/* y = 1 where x is 0, else 0. */
void nacre_logical_not_bool(const uint8_t *input, uint8_t *output, const nacre_each_t *shape,
                            nacre_rows_t rows);

#endif
