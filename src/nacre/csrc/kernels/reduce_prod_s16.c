/* SPDX-License-Identifier: Apache-2.0 */
/* Product of quantized int16 over axes. */
#include "nacre_reduce.h"
#include "nacre_requant.h"

#define PROD_NAME nacre_reduce_prod_s16
#define PROD_ELEMENT int16_t
#define PROD_MIN INT16_MIN
#define PROD_MAX INT16_MAX

#include "nacre_reduce_prod_body.h"
