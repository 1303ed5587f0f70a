/* SPDX-License-Identifier: Apache-2.0 */
/* int8 fully connected layers for cores with the DSP extension: same results as the portable
 * kernel, bit for bit. input_offset and weights_offset are 0: the bias has them.
 *
 * `weights` is a stream of words for four outputs at a time, rows filled up with zeros:
 *   {bias x 4}, per four inputs the weights of all four outputs
 * Weights have 8 bits, or 16 in the `wide` kernel; there they and the bias are doubled, and four of
 * them are two words as b0 | b2 << 16, b1 | b3 << 16.
 * requant holds {multiplier, nudge, exponent} as in nacre_conv_dsp.h, one for all outputs
 * (scale_step 0) or one for each, filled up to fours (scale_step 1). inputs >= 4. No scratch; input
 * and output must not overlap.
 */
#ifndef NACRE_FULLY_CONNECTED_DSP_H
#define NACRE_FULLY_CONNECTED_DSP_H

#include "nacre_fully_connected.h"

/* One row of the input, fours of outputs; the micro-kernel moves skip, requant and y on. */
typedef struct {
    int32_t skip; /* bytes of code before the first group of four inputs; a block has eight */
    const int8_t *x;
    const int8_t *x_end; /* of the whole groups */
    uint32_t last;       /* what is left of x, filled up with zeros */
    int32_t has_last;
    const int32_t *requant;
    int32_t step; /* bytes from one scale to the next */
    int8_t *y;
    int8_t *y_end;
    const int32_t *weights;
} nacre_dot_t;

void nacre_fully_connected_s8_dsp(const int8_t *input, const int32_t *weights,
                                  const int32_t *requant, int8_t *output,
                                  const nacre_fully_connected_params_t *p);
void nacre_fully_connected_wide_s8_dsp(const int8_t *input, const int32_t *weights,
                                       const int32_t *requant, int8_t *output,
                                       const nacre_fully_connected_params_t *p);

#endif
