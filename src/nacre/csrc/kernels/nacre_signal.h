/* SPDX-License-Identifier: Apache-2.0 */
/* The audio front end: fixed-point frames, spectra and filter banks.
 *
 * Inputs and outputs do not overlap, unless a kernel says so. No scratch.
 */
#ifndef NACRE_SIGNAL_H
#define NACRE_SIGNAL_H

#include "nacre_kernel.h"

typedef struct {
    int32_t frames;
    int32_t length;
    int32_t shift;
} nacre_signal_window_params_t;

typedef struct {
    int32_t length;
} nacre_signal_auto_scale_params_t;

typedef struct {
    int32_t frames;
    int32_t frame;
    int32_t length;
} nacre_signal_rfft_params_t;

typedef struct {
    int32_t bins;
    int32_t begin;
    int32_t end;
} nacre_signal_energy_params_t;

typedef struct {
    int32_t channels;
} nacre_signal_filter_bank_params_t;

typedef struct {
    int32_t channels;
} nacre_signal_square_root_params_t;

typedef struct {
    int32_t channels;
    int32_t smoothing;
    int32_t one_minus_smoothing;
    int32_t alternate_smoothing;
    int32_t alternate_one_minus_smoothing;
    int32_t min_signal_remaining;
    int32_t smoothing_bits;
    int32_t bits;
    int32_t clamping;
} nacre_signal_subtraction_params_t;

typedef struct {
    int32_t channels;
    int32_t snr_shift;
} nacre_signal_pcan_params_t;

typedef struct {
    int32_t channels;
    int32_t output_scale;
    int32_t correction_bits;
} nacre_signal_log_params_t;

/* Bits of a number up to its highest 1: 0 for 0. */
NACRE_CODE
static inline int32_t nacre_bit_length(uint32_t x)
{
    int32_t bits = 0;
    for (; x != 0u; x >>= 1) {
        ++bits;
    }
    return bits;
}

/* y[i] = saturate(x[i] * window[i % length] >> shift). y may be x. */
void nacre_signal_window_s16(const int16_t *input, const int16_t *window, int16_t *output,
                             const nacre_signal_window_params_t *p);

/* y = x << bits, bits = 15 - bit length of the largest |x|; 0 where that is 0 or 32768 (unless a
 * larger sample follows: 32768 wraps to -32768, as in the source runtime). y may be x. */
void nacre_signal_auto_scale_s16(const int16_t *input, int16_t *output, int32_t *bits,
                                 const nacre_signal_auto_scale_params_t *p);

/* Each frame becomes length / 2 + 1 pairs (real, imaginary), scaled down by `length`:
 * a stage of radix r divides its inputs by r. twiddles: length / 2 pairs exp(-2 pi i k / (length /
 * 2)), then length / 4 pairs -i exp(-2 pi i k / length) for k >= 1, largest fraction for 1. */
void nacre_signal_rfft_s16(const int16_t *input, const int16_t *twiddles, int16_t *output,
                           const nacre_signal_rfft_params_t *p);
void nacre_signal_rfft_s32(const int32_t *input, const int32_t *twiddles, int32_t *output,
                           const nacre_signal_rfft_params_t *p);

/* y[i] = re^2 + im^2 for begin <= i < end, else 0. */
void nacre_signal_energy_s16(const int16_t *input, uint32_t *output,
                             const nacre_signal_energy_params_t *p);

/* y[c] = sum over the bins of channel c + 1 of weights * x + over those of c of unweights * x,
 * modulo 2^64. Channel c has bins [bins[c], + widths[c]) with weights from first[c] on;
 * the three tables have channels + 1 entries. */
void nacre_signal_filter_bank_u32(const uint32_t *input, const int16_t *weights,
                                  const int16_t *unweights, const int16_t *bins,
                                  const int16_t *first, const int16_t *widths, uint64_t *output,
                                  const nacre_signal_filter_bank_params_t *p);

/* y = round(sqrt(x)) >> bits, 0 for bits outside [0, 32); 0xffff and 0xffffffff are not rounded up. */
void nacre_signal_square_root_u64(const uint64_t *input, const int32_t *bits, uint32_t *output,
                                  const nacre_signal_square_root_params_t *p);

/* s = x << smoothing_bits; estimate = (s * smoothing + estimate * one_minus_smoothing) >> bits;
 * y = max((s - min(estimate, s)) >> smoothing_bits, x * min_signal_remaining >> bits).
 * Even and odd channels have their own smoothing; `noise` is a copy of the new estimate. */
void nacre_signal_subtraction_u32(const uint32_t *input, uint32_t *estimate, uint32_t *output,
                                  uint32_t *noise, const nacre_signal_subtraction_params_t *p);

/* r = x * gain(noise) >> snr_shift in 12 fraction bits; y = r^2 / 4 below 2, else r - 1, in 6.
 * gain: 0, 1, 2 are looked up; a noise of n bits uses lut[4n - 6 ..]: value, slope, curvature.
 * y may be x or noise. */
void nacre_signal_pcan_u32(const uint32_t *input, const uint32_t *noise, const int16_t *lut,
                           uint32_t *output, const nacre_signal_pcan_params_t *p);

/* y = min(32767, output_scale * ln(x << correction_bits)), 0 where that is 0 or 1.
 * lut[130] = log2(1 + i / 128) - i / 128 in 16 fraction bits. */
void nacre_signal_log_u32(const uint32_t *input, const uint16_t *lut, int16_t *output,
                          const nacre_signal_log_params_t *p);

#endif
