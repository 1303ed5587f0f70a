/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the DSP depthwise convolutions of 3x3 taps: two pixels of a row at a time.
 *
 * The including file says how a tap's WEIGHTS come to r10 and r11, how sums are DOUBLED and
 * QUADRUPLED, and names what computes a single pixel (NACRE_TILE, NACRE_TAP). */
#include "nacre_depthwise_taps_dsp.h"

enum { COLUMNS = 4, POINTERS = 12 };

/* An input, and the products with the weights for the left and the right pixel. */
#define INPUT(AT) \
    "ldr r8, [sp, #" #AT "]\n\tldr r8, [r8, r12]\n\t" \
    "sxtb16 r9, r8, ror #8\n\tsxtb16 r8, r8\n\t"
#define LEFT \
    "smlabb r0, r8, r10, r0\n\tsmlabb r1, r9, r11, r1\n\t" \
    "smlatt r2, r8, r10, r2\n\tsmlatt r3, r9, r11, r3\n\t"
#define RIGHT \
    "smlabb r4, r8, r10, r4\n\tsmlabb r5, r9, r11, r5\n\t" \
    "smlatt r6, r8, r10, r6\n\tsmlatt r7, r9, r11, r7\n\t"
#define ROW(A, B, C, D) \
    INPUT(A) WEIGHTS LEFT INPUT(B) RIGHT WEIGHTS LEFT INPUT(C) RIGHT WEIGHTS LEFT INPUT(D) RIGHT
#define NARROW(A, B) \
    "asr r" #A ", r" #A ", r10\n\tasr r" #B ", r" #B ", r10\n\t" \
    "ssat r" #A ", #8, r" #A "\n\tssat r" #B ", #8, r" #B "\n\t"
#define SCALE(A, B) \
    "ldmia lr!, {r8-r10}\n\t" \
    DOUBLED(A, B) \
    "add r11, r9, r" #A ", asr #31\n\tsmmlar r" #A ", r" #A ", r8, r11\n\t" \
    "add r11, r9, r" #B ", asr #31\n\tsmmlar r" #B ", r" #B ", r8, r11\n\t" NARROW(A, B)
/* Rounds once. */
#define SCALE_ONCE(A, B) \
    "ldmia lr!, {r8-r10}\n\t" \
    QUADRUPLED(A, B) \
    "smmla r" #A ", r" #A ", r8, r9\n\tsmmla r" #B ", r" #B ", r8, r9\n\t" NARROW(A, B)

/* Four channels of two pixels side by side:
 *
 *   x    r8: c0 c2    r9: c1 c3             r12  index
 *   w   r10: c0 c2   r11: c1 c3             lr   stream of weights
 *   acc  left r0 - r3, right r4 - r7
 *
 * On the stack: pointers to 3 rows of 4 taps, y of the left and the right pixel, end of the left.
 * Tap k of the left pixel is tap k - 1 of the right one. */
NACRE_CODE
static void multiply_pair(const nacre_depthwise_pair_t *pair)
{
    register const nacre_depthwise_pair_t *r0 __asm("r0") = pair;
    __asm volatile(
        "push {r4-r11, lr}\n\t"
        "sub sp, sp, #60\n\t"
        "ldr r1, [r0], #4\n\t"
        "ldmia r1!, {r2-r9}\n\t"
        "stmia sp, {r2-r9}\n\t"
        "ldmia r1, {r4-r7}\n\t"
        "ldmia r0, {r8-r10, r12, lr}\n\t"
        "add r0, sp, #32\n\t"
        "stmia r0, {r4-r10}\n\t"
        "1: ldmia lr!, {r0-r3}\n\t"
        "mov r4, r0\n\t"
        "mov r5, r1\n\t"
        "mov r6, r2\n\t"
        "mov r7, r3\n\t"
        ROW(0, 4, 8, 12) ROW(16, 20, 24, 28) ROW(32, 36, 40, 44)
        "ldr r8, [lr, #8]\n\t"
        "cmp r8, #0\n\t"
        "blt.w 3f\n\t"
        SCALE(0, 4) SCALE(1, 5) SCALE(2, 6) SCALE(3, 7)
        "2: ldrd r8, r9, [sp, #48]\n\t"
        "strb r5, [r9, #1]\n\t"
        "strb r6, [r9, #2]\n\t"
        "strb r7, [r9, #3]\n\t"
        "strb r4, [r9], #4\n\t"
        "strb r1, [r8, #1]\n\t"
        "strb r2, [r8, #2]\n\t"
        "strb r3, [r8, #3]\n\t"
        "strb r0, [r8], #4\n\t"
        "strd r8, r9, [sp, #48]\n\t"
        "ldr r10, [sp, #56]\n\t"
        "add r12, r12, #4\n\t"
        "cmp r8, r10\n\t"
        "bne.w 1b\n\t"
        "b 4f\n\t"
        "3:\n\t"
        SCALE_ONCE(0, 4) SCALE_ONCE(1, 5) SCALE_ONCE(2, 6) SCALE_ONCE(3, 7)
        "b 2b\n\t"
        "4: add sp, sp, #60\n\t"
        "pop {r4-r11, lr}\n\t"
        : "+r"(r0)
        :
        : "r1", "r2", "r3", "r12", "lr", "cc", "memory");
}

/* All channels of two pixels. */
NACRE_CODE
static void two_pixels(const nacre_conv_params_t *p, nacre_depthwise_pair_t *pair)
{
    const int32_t fours = p->output_c / 4;
    pair->y_end = pair->y0 + 4 * fours;
    multiply_pair(pair);
    if (p->output_c % 4 != 0) {
        nacre_depthwise_pair_t last = *pair;
        last.index += p->output_c - 4;
        last.y0 += p->output_c - 4;
        last.y1 += p->output_c - 4;
        last.y_end = last.y0 + 4;
        last.weights += fours * p->weights_pitch;
        multiply_pair(&last);
    }
    if (p->activation_min > INT8_MIN || p->activation_max < INT8_MAX) {
        nacre_clamp_bytes(pair->y0, 2 * p->output_c, p->activation_min, p->activation_max);
    }
}

NACRE_CODE
static void convolve_row(layer_t *layer, int32_t oy, int8_t *y, nacre_depthwise_pair_t *pair)
{
    const nacre_conv_params_t *p = layer->p;
    const nacre_rows_t inner = inner_columns(p);
    const int32_t whole = is_inside(p, oy);
    int32_t ox = 0;
    for (; ox + 1 < p->output_w; ox += 2) {
        if (whole && ox > inner.begin + 1 && ox + 1 < inner.end) {
            pair->index += 2 * p->input_c;
        } else {
            point(layer, oy, ox, COLUMNS);
            pair->index = 0;
        }
        pair->y0 = y;
        pair->y1 = y + p->output_c;
        two_pixels(p, pair);
        y += 2 * p->output_c;
    }
    if (ox < p->output_w) {
        nacre_depthwise_tile_t tile = first_tile(layer, pair->weights);
        point(layer, oy, ox, p->kernel_w);
        tile.y = y;
        pixel(p, &tile);
    }
}

NACRE_CODE
static void convolve(const int8_t *input, const int32_t *weights, int8_t *output,
                     const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch)
{
    layer_t layer = {p, input, (const int8_t **)(void *)scratch, (int8_t *)(scratch + POINTERS), 0};
    nacre_depthwise_pair_t pair = {layer.taps, NULL, NULL, NULL, 0, weights};
    for (int32_t oy = rows.begin; oy < rows.end; ++oy) {
        const int32_t row = nacre_ring_row(oy, p->output_ring) * p->output_w;
        convolve_row(&layer, oy, output + row * p->output_c, &pair);
    }
}
