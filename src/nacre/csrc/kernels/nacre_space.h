/* SPDX-License-Identifier: Apache-2.0 */
/* Moving blocks of rows and columns to batches or channels, and back. Sizes of pixels count bytes;
 * no aliasing. */
#ifndef NACRE_SPACE_H
#define NACRE_SPACE_H

#include "nacre_fill.h"
#include "nacre_move.h"

/* space to batch: output[(sh * block_w + sw) * batches + n][h][w]
 *     = input[n][h * block_h + sh - top][w * block_w + sw - left], or the value outside;
 * batch to space: output[n][h][w] = input[(sh * block_w + sw) * batches + n][ih][iw],
 *     ih * block_h + sh = h + top, iw * block_w + sw = w + left. */
typedef struct {
    int32_t batches;
    int32_t input_h;
    int32_t input_w;
    int32_t output_h;
    int32_t output_w;
    int32_t pixel;
    int32_t block_h;
    int32_t block_w;
    int32_t top;
    int32_t left;
    int32_t element;
    int32_t value[2];
} nacre_space_batch_params_t;

/* One image, rows in rings. width: columns of the smaller picture; pixel: its bytes per column
 * and row of a block, that is block * channels of the larger picture.
 * space to depth: row h of the output is rows [h * block, (h + 1) * block) of the input;
 * depth to space: the other way round. */
typedef struct {
    int32_t width;
    int32_t block;
    int32_t pixel;
    int32_t input_ring;
    int32_t output_ring;
} nacre_space_depth_params_t;

void nacre_space_to_batch(const void *input, void *output, const nacre_space_batch_params_t *p);
void nacre_batch_to_space(const void *input, void *output, const nacre_space_batch_params_t *p);

void nacre_space_to_depth(const void *input, void *output, const nacre_space_depth_params_t *p,
                          nacre_rows_t rows);
void nacre_depth_to_space(const void *input, void *output, const nacre_space_depth_params_t *p,
                          nacre_rows_t rows);

#endif
