/* SPDX-License-Identifier: Apache-2.0 */
/* The walk that reductions share. The including file defines REDUCE_NAME, REDUCE_ELEMENT (x and
 * y), REDUCE_SUM (type of the accumulators) and the functions
 *   REDUCE_SUM first(void), REDUCE_SUM add(REDUCE_SUM, REDUCE_ELEMENT),
 *   REDUCE_ELEMENT finish(REDUCE_SUM, const nacre_reduce_params_t *). */

/* Outputs that are accumulated side by side: 128 bytes of accumulators. */
enum { REDUCE_BLOCK = 128 / sizeof(REDUCE_SUM) };

/* One output: the last axis is reduced, so its inputs are neighbours. */
NACRE_CODE
static REDUCE_ELEMENT reduce_one(const REDUCE_ELEMENT *input, const nacre_reduce_params_t *p)
{
    const int32_t runs = p->reduced_size[0] * p->reduced_size[1];
    REDUCE_SUM sum = first();
    for (int32_t r = 0; r < runs; ++r) {
        const REDUCE_ELEMENT *x = input + nacre_reduce_run(p, r);
        for (int32_t i = 0; i < p->reduced_size[2]; ++i) {
            sum = add(sum, x[i]);
        }
    }
    return finish(sum, p);
}

/* `width` outputs whose inputs are neighbours. */
NACRE_CODE
static void reduce_block(const REDUCE_ELEMENT *input, REDUCE_ELEMENT *output,
                         const nacre_reduce_params_t *p, int32_t width)
{
    const int32_t runs = p->reduced_size[0] * p->reduced_size[1];
    REDUCE_SUM sums[REDUCE_BLOCK];
    for (int32_t j = 0; j < width; ++j) {
        sums[j] = first();
    }
    for (int32_t r = 0; r < runs; ++r) {
        const REDUCE_ELEMENT *x = input + nacre_reduce_run(p, r);
        for (int32_t i = 0; i < p->reduced_size[2]; ++i) {
            for (int32_t j = 0; j < width; ++j) {
                sums[j] = add(sums[j], x[j]);
            }
            x += p->reduced_stride[2];
        }
    }
    for (int32_t j = 0; j < width; ++j) {
        output[j] = finish(sums[j], p);
    }
}

NACRE_CODE
void REDUCE_NAME(const REDUCE_ELEMENT *input, REDUCE_ELEMENT *output,
                 const nacre_reduce_params_t *p)
{
    const int32_t groups = p->kept_size[0] * p->kept_size[1] * p->kept_size[2];
    for (int32_t o = 0; o < groups; ++o) {
        const REDUCE_ELEMENT *x = input + nacre_reduce_source(p, o);
        if (p->inner == 1) {
            *output++ = reduce_one(x, p);
            continue;
        }
        for (int32_t j = 0; j < p->inner; j += REDUCE_BLOCK) {
            const int32_t width = nacre_min(p->inner - j, REDUCE_BLOCK);
            reduce_block(x + j, output, p, width);
            output += width;
        }
    }
}
