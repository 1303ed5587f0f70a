/* SPDX-License-Identifier: Apache-2.0 */
/* Index of the smallest int8 along an axis. */
#include "nacre_arg.h"

#define ARG_NAME nacre_arg_min_s8
#define ARG_ELEMENT int8_t
#define ARG_BETTER(a, b) ((a) < (b))

#include "nacre_arg_body.h"
