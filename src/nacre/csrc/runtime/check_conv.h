/* SPDX-License-Identifier: Apache-2.0 */
/* What the checks of all convolutions share. */
#ifndef NACRE_CHECK_CONV_H
#define NACRE_CHECK_CONV_H

#include "../kernels/nacre_conv.h"
#include "nacre_checks.h"

/* Both parameter structs begin alike; these are the members behind that. */
typedef struct {
    const nacre_conv_params_t *p; /* up to weights_pitch only */
    int32_t input_ring;
    int32_t output_ring;
} nacre_conv_view_t;

nacre_conv_view_t nacre_conv_view(const nacre_check_t *c);
nacre_conv_view_t nacre_conv_view_f32(const nacre_check_t *c);
/* Sizes, strides and pads are possible: no coordinate overflows. */
int32_t nacre_conv_geometry(const nacre_check_t *c, const nacre_conv_view_t *v);
/* Offsets and limits have 16 bits or little more. */
int32_t nacre_conv_numbers(const nacre_check_t *c);
/* Elements of the whole or ringed input and output. */
int64_t nacre_conv_input(const nacre_conv_view_t *v);
int64_t nacre_conv_output(const nacre_check_t *c, const nacre_conv_view_t *v);

#endif
