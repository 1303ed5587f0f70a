/* SPDX-License-Identifier: Apache-2.0 */
/* Two-dimensional convolution of int8 with Helium: as nacre_conv2d.h says, with packed constants.
 *
 * Weights, with the bias among them, and requant are packed for tiles: see nacre_tile_mve.h. The
 * blocks of 32 channels follow each other; the last one is filled up to a multiple of 4 channels.
 * A pixel has 16 * steps taps, filled up with zero weights. There are no groups.
 */
#ifndef NACRE_CONV2D_MVE_H
#define NACRE_CONV2D_MVE_H

#include "nacre_conv.h"
#include "nacre_tile_mve.h"

typedef struct {
    int32_t input_h;
    int32_t input_w;
    int32_t input_c;
    int32_t output_w;
    int32_t output_c;
    int32_t kernel_h;
    int32_t kernel_w;
    int32_t stride_h;
    int32_t stride_w;
    int32_t dilation_h;
    int32_t dilation_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t pad_value;
    int32_t steps;
    int32_t general;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
    int32_t input_ring;
    int32_t output_ring;
} nacre_conv_mve_params_t;

/* Kernel 1x1, stride 1, no padding, at most 8 steps. `scratch` holds 64 * steps bytes. Rows as in
 * nacre_conv2d.h. */
void nacre_conv2d_1x1_s8_mve(const int8_t *input, const int8_t *weights, const int32_t *requant,
                             int8_t *output, const nacre_conv_mve_params_t *p, nacre_rows_t rows,
                             int8_t *scratch);

enum { NACRE_CONV_MVE_ROWS = 16 };

/* Kernels of up to 16 rows. `scratch` holds the taps of four pixels, or of seven where output_w is
 * no multiple of 4, 16 * steps + 16 bytes each; and the padded input rows that a window spans,
 * (kernel_h - 1) * dilation_h + 1 of them, in whole 16 bytes: as far as a row of three more outputs
 * would read, and at least 16 bytes. Rows as in nacre_conv2d.h. The short form is for at most 8
 * steps. */
void nacre_conv2d_short_s8_mve(const int8_t *input, const int8_t *weights, const int32_t *requant,
                               int8_t *output, const nacre_conv_mve_params_t *p,
                               nacre_rows_t rows, int8_t *scratch);
void nacre_conv2d_s8_mve(const int8_t *input, const int8_t *weights, const int32_t *requant,
                         int8_t *output, const nacre_conv_mve_params_t *p, nacre_rows_t rows,
                         int8_t *scratch);

/* Kernel 3x3, stride 1, no dilation, output_w >= 4, and as many input channels as the name says.
 * `scratch`, word-aligned, holds the padded input rows that a window spans, as above. */
void nacre_conv2d_3x3_c16_s8_mve(const int8_t *input, const int8_t *weights,
                                 const int32_t *requant, int8_t *output,
                                 const nacre_conv_mve_params_t *p, nacre_rows_t rows,
                                 int8_t *scratch);
void nacre_conv2d_3x3_c32_s8_mve(const int8_t *input, const int8_t *weights,
                                 const int32_t *requant, int8_t *output,
                                 const nacre_conv_mve_params_t *p, nacre_rows_t rows,
                                 int8_t *scratch);
void nacre_conv2d_3x3_c64_s8_mve(const int8_t *input, const int8_t *weights,
                                 const int32_t *requant, int8_t *output,
                                 const nacre_conv_mve_params_t *p, nacre_rows_t rows,
                                 int8_t *scratch);

#endif
