/* SPDX-License-Identifier: Apache-2.0 */
/* Fourier transform of frames of int32 samples in fixed point. */
#include "nacre_signal.h"

#define RFFT_NAME nacre_signal_rfft_s32
#define RFFT_ELEMENT int32_t
#define RFFT_WIDE int64_t
#define RFFT_BITS 31

#include "nacre_signal_rfft_body.h"
