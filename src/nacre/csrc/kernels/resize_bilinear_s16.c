/* SPDX-License-Identifier: Apache-2.0 */
/* int16 bilinear resizing. */
#include "nacre_resize.h"

#define BILINEAR_NAME nacre_resize_bilinear_s16
#define BILINEAR_ELEMENT int16_t
#define BILINEAR_SUM int64_t

#include "nacre_resize_bilinear_body.h"
