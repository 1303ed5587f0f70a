/* SPDX-License-Identifier: Apache-2.0 */
/* Depthwise convolution of int8 with Helium, channel by channel: as nacre_depthwise.h says.
 *
 * 3x3, as many output as input channels, no dilation, both strides 1 (or both 2). constants holds a
 * record per channel, of 32 bytes for the general form and 24 else: see nacre_plane_mve.h.
 * Not row by row: channels are read, and then written, in groups of `group` (1, 2, 4 or 8) and at
 * the end one by one. The output may lie in the input, whole pixels from its beginning, and
 * overlaps it nowhere else. scratch, word-aligned, holds `group` planes and the masks:
 *   group * pitch * block rows + 4 * rows * turns bytes, for rows of the image or its columns.
 */
#ifndef NACRE_DEPTHWISE_MVE_H
#define NACRE_DEPTHWISE_MVE_H

#include "nacre_conv.h"

typedef struct {
    int32_t input_h;
    int32_t input_w;
    int32_t channels;
    int32_t output_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t pad_value;
    int32_t group;
    int32_t general;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
    int32_t input_ring;
    int32_t output_ring;
} nacre_depthwise_mve_params_t;

void nacre_depthwise_3x3_s8_mve(const int8_t *input, const int8_t *constants, int8_t *output,
                                const nacre_depthwise_mve_params_t *p, nacre_rows_t rows,
                                int8_t *scratch);
void nacre_depthwise_3x3_stride2_s8_mve(const int8_t *input, const int8_t *constants,
                                        int8_t *output, const nacre_depthwise_mve_params_t *p,
                                        nacre_rows_t rows, int8_t *scratch);

typedef struct {
    int32_t input_h;
    int32_t input_w;
    int32_t channels;
    int32_t output_w;
    int32_t kernel_h;
    int32_t kernel_w;
    int32_t pad_top;
    int32_t pad_left;
    int32_t pad_value;
    int32_t group;
    int32_t general;
    int32_t output_offset;
    int32_t activation_min;
    int32_t activation_max;
    int32_t input_ring;
    int32_t output_ring;
} nacre_depthwise_line_mve_params_t;

/* A kernel of one column, or of one row, and at most 13 taps, both strides 1; else as above with
 * records of 40 bytes for the general forms and 32 else. Lines go along the kernel; scratch holds
 *   group * (8 * turns + 16) * lines + 4 * lines * turns bytes; turns = outputs of a line / 8. */
void nacre_depthwise_line_s8_mve(const int8_t *input, const int8_t *constants, int8_t *output,
                                 const nacre_depthwise_line_mve_params_t *p, nacre_rows_t rows,
                                 int8_t *scratch);

enum { NACRE_DEPTHWISE_MVE_TAPS = 64 };

/* Any kernel of at most 64 taps, at least 16 channels, as many output as input channels; stream as
 * in nacre_lanes_mve.h. scratch holds input_c bytes. Rows as in nacre_depthwise.h. groups and
 * weights_pitch are not looked at. */
void nacre_depthwise_s8_mve(const int8_t *input, const int8_t *stream, int8_t *output,
                            const nacre_conv_params_t *p, nacre_rows_t rows, int8_t *scratch);

#endif
