/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the DSP fully connected layers.
 *
 * The including file defines GROUP (bytes of code for four inputs), WORDS (of weights for them) and
 *   multiply(nacre_dot_t *)      fours of outputs
 */
#include "nacre_dsp.h"

enum { GROUPS = 8 };

/* One row of the input. */
NACRE_CODE
static void connect_row(const int8_t *x, const int32_t *weights, const int32_t *requant, int8_t *y,
                        const nacre_fully_connected_params_t *p)
{
    const int32_t groups = p->inputs / 4;
    const int32_t whole = p->outputs & ~3;
    const int32_t skip = (-groups & (GROUPS - 1)) * GROUP;
    nacre_dot_t dot = {skip, x, x + 4 * groups, 0, p->inputs % 4, requant, 12 * p->scale_step, y,
                       y + whole, weights};
    memcpy(&dot.last, dot.x_end, (size_t)(p->inputs % 4));
    if (whole > 0) {
        multiply(&dot);
    }
    if (whole < p->outputs) {
        int8_t rest[4];
        dot.skip = skip;
        dot.weights = weights + whole / 4 * (4 + (p->inputs + 3) / 4 * WORDS);
        dot.y = rest;
        dot.y_end = rest + 4;
        multiply(&dot);
        memcpy(y + whole, rest, (size_t)(p->outputs - whole));
    }
}

NACRE_CODE
static void connect(const int8_t *input, const int32_t *weights, const int32_t *requant,
                    int8_t *output, const nacre_fully_connected_params_t *p)
{
    for (int32_t batch = 0; batch < p->batches; ++batch) {
        connect_row(input, weights, requant, output, p);
        if (p->activation_min > INT8_MIN || p->activation_max < INT8_MAX) {
            nacre_clamp_bytes(output, p->outputs, p->activation_min, p->activation_max);
        }
        input += p->inputs;
        output += p->outputs;
    }
}
