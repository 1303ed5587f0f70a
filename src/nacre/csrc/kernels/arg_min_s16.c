/* SPDX-License-Identifier: Apache-2.0 */
/* Index of the smallest int16 along an axis. */
#include "nacre_arg.h"

#define ARG_NAME nacre_arg_min_s16
#define ARG_ELEMENT int16_t
#define ARG_BETTER(a, b) ((a) < (b))

#include "nacre_arg_body.h"
