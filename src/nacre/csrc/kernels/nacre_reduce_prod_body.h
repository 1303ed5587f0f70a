/* SPDX-License-Identifier: Apache-2.0 */
/* Products of quantized values, rescaled after every factor. The including file defines
 * PROD_NAME, PROD_ELEMENT, PROD_MIN and PROD_MAX. */

NACRE_CODE
static PROD_ELEMENT reduce_one(const PROD_ELEMENT *input, const nacre_reduce_params_t *p)
{
    const int32_t runs = p->reduced_size[0] * p->reduced_size[1];
    int32_t product = 0;
    for (int32_t r = 0; r < runs; ++r) {
        const PROD_ELEMENT *x = input + nacre_reduce_run(p, r);
        for (int32_t i = 0; i < p->reduced_size[2]; ++i) {
            const int32_t factor = *x + p->input_offset;
            product = r == 0 && i == 0
                          ? factor
                          : nacre_requantize_wide((int64_t)product * factor, p->multiplier,
                                                  p->shift);
            x += p->reduced_stride[2];
        }
    }
    product = nacre_requantize_wide(product, p->multiplier, p->shift);
    return (PROD_ELEMENT)nacre_clamp_offset(product, p->output_offset, PROD_MIN, PROD_MAX);
}

NACRE_CODE
void PROD_NAME(const PROD_ELEMENT *input, PROD_ELEMENT *output, const nacre_reduce_params_t *p)
{
    const int32_t groups = p->kept_size[0] * p->kept_size[1] * p->kept_size[2];
    for (int32_t o = 0; o < groups; ++o) {
        const PROD_ELEMENT *x = input + nacre_reduce_source(p, o);
        for (int32_t j = 0; j < p->inner; ++j) {
            *output++ = reduce_one(x + j, p);
        }
    }
}
