/* SPDX-License-Identifier: Apache-2.0 */
/* Product of quantized int8 over axes. */
#include "nacre_reduce.h"
#include "nacre_requant.h"

#define PROD_NAME nacre_reduce_prod_s8
#define PROD_ELEMENT int8_t
#define PROD_MIN INT8_MIN
#define PROD_MAX INT8_MAX

#include "nacre_reduce_prod_body.h"
