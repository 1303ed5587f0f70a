/* SPDX-License-Identifier: Apache-2.0 */
/* int8 bilinear resizing. */
#include "nacre_resize.h"

#define BILINEAR_NAME nacre_resize_bilinear_s8
#define BILINEAR_ELEMENT int8_t
#define BILINEAR_SUM int32_t

#include "nacre_resize_bilinear_body.h"
