/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of the kernels, named after what they share. */
#ifndef NACRE_CHECKS_H
#define NACRE_CHECKS_H

#include "nacre_check.h"

/* Convolutions. Variants of depthwise kernels: lanes of a block. */
int32_t nacre_check_conv2d_8(nacre_check_t *c);
int32_t nacre_check_conv2d_16(nacre_check_t *c);
int32_t nacre_check_conv2d_f32(nacre_check_t *c);
int32_t nacre_check_conv2d_hybrid(nacre_check_t *c);
int32_t nacre_check_conv2d_hybrid_tables(nacre_check_t *c);
int32_t nacre_check_depthwise(nacre_check_t *c);
int32_t nacre_check_depthwise_f32(nacre_check_t *c);
int32_t nacre_check_depthwise_hybrid(nacre_check_t *c);
int32_t nacre_check_transpose_conv(nacre_check_t *c);
int32_t nacre_check_transpose_conv_f32(nacre_check_t *c);
int32_t nacre_check_transpose_conv_hybrid(nacre_check_t *c);
/* multiplier[output_c], shift[output_c] at pointer 3; `wide`: 64-bit accumulators. */
int32_t nacre_check_conv_tables(nacre_check_t *c);
int32_t nacre_check_conv_tables_wide(nacre_check_t *c);

int32_t nacre_check_fully_connected(nacre_check_t *c);
int32_t nacre_check_fully_connected_f32(nacre_check_t *c);
int32_t nacre_check_fully_connected_hybrid(nacre_check_t *c);
int32_t nacre_check_fully_connected_tables(nacre_check_t *c);
int32_t nacre_check_fully_connected_tables_wide(nacre_check_t *c);
int32_t nacre_check_batch_matmul(nacre_check_t *c);

int32_t nacre_check_pool(nacre_check_t *c);
/* channels >= 4 */
int32_t nacre_check_pool_dsp(nacre_check_t *c);

/* Helium and DSP. Variants: see the files. */
int32_t nacre_check_conv2d_1x1_mve(nacre_check_t *c);
int32_t nacre_check_conv2d_mve(nacre_check_t *c);
int32_t nacre_check_conv2d_3x3_mve(nacre_check_t *c);
int32_t nacre_check_depthwise_mve(nacre_check_t *c);
int32_t nacre_check_fully_connected_mve(nacre_check_t *c);
int32_t nacre_check_conv2d_f32_mve(nacre_check_t *c);
int32_t nacre_check_depthwise_f32_mve(nacre_check_t *c);
int32_t nacre_check_fully_connected_f32_mve(nacre_check_t *c);
int32_t nacre_check_same_shape(nacre_check_t *c);
int32_t nacre_check_conv2d_dsp(nacre_check_t *c);
int32_t nacre_check_depthwise_dsp(nacre_check_t *c);
int32_t nacre_check_fully_connected_dsp(nacre_check_t *c);

/* One input, one output, nacre_each_t first; the name says what is second. */
int32_t nacre_check_each(nacre_check_t *c);
int32_t nacre_check_each_requantize(nacre_check_t *c);
int32_t nacre_check_each_quantize(nacre_check_t *c);
int32_t nacre_check_each_dequantize(nacre_check_t *c);
int32_t nacre_check_each_leaky_relu(nacre_check_t *c);
int32_t nacre_check_each_accumulate(nacre_check_t *c);
int32_t nacre_check_each_table_8(nacre_check_t *c);
int32_t nacre_check_each_sigmoid(nacre_check_t *c);
/* The same for vectors: a row is a whole number of them. */
int32_t nacre_check_softmax(nacre_check_t *c);
int32_t nacre_check_softmax_tables(nacre_check_t *c);
int32_t nacre_check_softmax_s16(nacre_check_t *c);
int32_t nacre_check_softmax_s16_tables(nacre_check_t *c);
int32_t nacre_check_softmax_f32(nacre_check_t *c);
int32_t nacre_check_log_softmax_s8(nacre_check_t *c);
int32_t nacre_check_l2_normalization(nacre_check_t *c);
int32_t nacre_check_vectors(nacre_check_t *c);

/* Two inputs, nacre_broadcast_t first. */
int32_t nacre_check_broadcast(nacre_check_t *c);
int32_t nacre_check_broadcast_add(nacre_check_t *c);
int32_t nacre_check_broadcast_add_general(nacre_check_t *c);
int32_t nacre_check_broadcast_add_pot(nacre_check_t *c);
int32_t nacre_check_broadcast_mul(nacre_check_t *c);
int32_t nacre_check_broadcast_compare(nacre_check_t *c);
int32_t nacre_check_broadcast_prelu(nacre_check_t *c);
int32_t nacre_check_broadcast_squared_difference(nacre_check_t *c);
int32_t nacre_check_select(nacre_check_t *c);

/* Moving bytes. The variant of a move is its run, 0 where the parameters have it. */
int32_t nacre_check_copy(nacre_check_t *c);
int32_t nacre_check_move(nacre_check_t *c);
int32_t nacre_check_move_rows(nacre_check_t *c);
int32_t nacre_check_lookup_rows(nacre_check_t *c);
int32_t nacre_check_fill(nacre_check_t *c);
int32_t nacre_check_pad(nacre_check_t *c);
int32_t nacre_check_gather(nacre_check_t *c);
int32_t nacre_check_gather_nd(nacre_check_t *c);
int32_t nacre_check_embedding(nacre_check_t *c);
int32_t nacre_check_gather_elements(nacre_check_t *c);
int32_t nacre_check_scatter_elements(nacre_check_t *c);
int32_t nacre_check_top_k(nacre_check_t *c);
int32_t nacre_check_one_hot(nacre_check_t *c);
int32_t nacre_check_reverse_sequence(nacre_check_t *c);
int32_t nacre_check_update_slice(nacre_check_t *c);
int32_t nacre_check_space_to_batch(nacre_check_t *c);
int32_t nacre_check_batch_to_space(nacre_check_t *c);
int32_t nacre_check_space_to_depth(nacre_check_t *c);
int32_t nacre_check_depth_to_space(nacre_check_t *c);
int32_t nacre_check_resize_nearest(nacre_check_t *c);
int32_t nacre_check_resize_nearest_tables(nacre_check_t *c);
/* Variant 3: fractions are among the positions; 2: they are floats of their own. */
int32_t nacre_check_resize_bilinear(nacre_check_t *c);
int32_t nacre_check_resize_bilinear_tables(nacre_check_t *c);

int32_t nacre_check_reduce(nacre_check_t *c);
int32_t nacre_check_cumsum(nacre_check_t *c);
int32_t nacre_check_cumsum_s8(nacre_check_t *c);
int32_t nacre_check_arg(nacre_check_t *c);
int32_t nacre_check_lrn(nacre_check_t *c);

/* Variant 1: the input is float. */
int32_t nacre_check_hybrid_quantize(nacre_check_t *c);
int32_t nacre_check_lstm(nacre_check_t *c);
int32_t nacre_check_lstm_tables_wide(nacre_check_t *c);
int32_t nacre_check_lstm_series(nacre_check_t *c);
int32_t nacre_check_lstm_f32(nacre_check_t *c);
int32_t nacre_check_sequence(nacre_check_t *c);
int32_t nacre_check_svdf(nacre_check_t *c);
int32_t nacre_check_svdf_f32(nacre_check_t *c);

int32_t nacre_check_signal_window(nacre_check_t *c);
int32_t nacre_check_signal_auto_scale(nacre_check_t *c);
int32_t nacre_check_signal_rfft(nacre_check_t *c);
int32_t nacre_check_signal_energy(nacre_check_t *c);
int32_t nacre_check_signal_filter_bank(nacre_check_t *c);
int32_t nacre_check_signal_filter_bank_tables(nacre_check_t *c);
int32_t nacre_check_signal_square_root(nacre_check_t *c);
int32_t nacre_check_signal_subtraction(nacre_check_t *c);
int32_t nacre_check_signal_pcan(nacre_check_t *c);
int32_t nacre_check_signal_log(nacre_check_t *c);

/* Variant 1: lengths are powers of two. */
int32_t nacre_check_rfft(nacre_check_t *c);
int32_t nacre_check_fft_columns(nacre_check_t *c);
int32_t nacre_check_complex(nacre_check_t *c);

/* Variant 1: class by class. */
int32_t nacre_check_detection(nacre_check_t *c);

#endif
