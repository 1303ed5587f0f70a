/* SPDX-License-Identifier: Apache-2.0 */
/* Index of the largest int32 along an axis. */
#include "nacre_arg.h"

#define ARG_NAME nacre_arg_max_s32
#define ARG_ELEMENT int32_t
#define ARG_BETTER(a, b) ((a) > (b))

#include "nacre_arg_body.h"
