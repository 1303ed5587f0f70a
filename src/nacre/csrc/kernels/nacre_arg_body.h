/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of all arg_max and arg_min kernels. The including file defines ARG_NAME, ARG_ELEMENT
 * and ARG_BETTER(a, b): a replaces b. */

/* Index along an axis whose values are neighbours. */
NACRE_CODE
static int32_t find(const ARG_ELEMENT *x, int32_t size)
{
    ARG_ELEMENT best = x[0];
    int32_t found = 0;
    for (int32_t i = 1; i < size; ++i) {
        if (ARG_BETTER(x[i], best)) {
            best = x[i];
            found = i;
        }
    }
    return found;
}

/* Indices along an axis whose values are `inner` apart; row by row, so memory is read in order. */
NACRE_CODE
static void find_columns(const ARG_ELEMENT *x, int32_t *output, const nacre_arg_params_t *p)
{
    const int32_t words = p->index_words;
    for (int32_t i = 1; i < p->size; ++i) {
        const ARG_ELEMENT *row = x + (size_t)(i * p->inner);
        for (int32_t j = 0; j < p->inner; ++j) {
            if (ARG_BETTER(row[j], x[output[j * words] * p->inner + j])) {
                output[j * words] = i;
            }
        }
    }
}

NACRE_CODE
void ARG_NAME(const ARG_ELEMENT *input, int32_t *output, const nacre_arg_params_t *p)
{
    const int32_t row = p->inner * p->index_words;
    for (int32_t o = 0; o < p->outer; ++o) {
        for (int32_t j = 0; j < row; ++j) {
            output[j] = 0;
        }
        if (p->inner == 1) {
            output[0] = find(input, p->size);
        } else {
            find_columns(input, output, p);
        }
        input += (size_t)(p->size * p->inner);
        output += row;
    }
}
