/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transform of frames of int16 samples in fixed point. */
#include "nacre_signal.h"

#define RFFT_NAME nacre_signal_rfft_s16
#define RFFT_ELEMENT int16_t
#define RFFT_WIDE int32_t
#define RFFT_BITS 15

#include "nacre_signal_rfft_body.h"
