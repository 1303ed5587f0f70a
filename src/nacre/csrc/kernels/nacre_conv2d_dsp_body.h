/* SPDX-License-Identifier: Apache-2.0 */
/* The walk of the DSP convolutions: the taps of two pixels are widened, then multiplied.
 *
 * The including file defines GROUP (bytes of code for four taps) and says how WEIGHTS of four taps
 * come to r8 - r11, and how sums are DOUBLED.
 * The widened taps are {pixel 0: b0 b2, b1 b3, pixel 1: b0 b2, b1 b3} for every four.
 */
#include "nacre_dsp.h"

enum { GROUPS = 8 };

/* Two pixels by two channels:
 *
 *                 w0  r8 r9   w1  r10 r11       r12  taps, four words a group
 *   x0  r4 r5        r0           r1            lr   stream of weights
 *   x1  r6 r7        r2           r3
 *
 * On the stack: x, y0, y1, its end, where the first block begins, end of the stream. */
NACRE_CODE
static void multiply(const nacre_conv_tile_t *tile)
{
    register const nacre_conv_tile_t *r0 __asm("r0") = tile;
    __asm volatile(
        "push {r4-r11, lr}\n\t"
        "ldmia r0, {r1-r7}\n\t"
        "mov lr, r6\n\t"
        "mov r6, r7\n\t"
        ".balign 4\n\t"
        "adr.w r7, 2f\n\t"
        "add r5, r5, r7\n\t"
        "add r5, r5, #1\n\t"
        "sub sp, sp, #24\n\t"
        "stmia sp, {r1-r6}\n\t"
        "1: ldr r5, [sp, #16]\n\t"
        "ldmia lr!, {r0, r1}\n\t"
        "ldr r12, [sp]\n\t"
        "mov r2, r0\n\t"
        "mov r3, r1\n\t"
        "bx r5\n\t"
        ".balign 4\n\t"
        "2:\n\t"
        ".rept 8\n\t"
        "ldmia.w r12!, {r4-r7}\n\t"
        WEIGHTS
        "smlad r0, r4, r8, r0\n\t"
        "smlad r1, r4, r10, r1\n\t"
        "smlad r2, r6, r8, r2\n\t"
        "smlad r3, r6, r10, r3\n\t"
        "smlad r0, r5, r9, r0\n\t"
        "smlad r1, r5, r11, r1\n\t"
        "smlad r2, r7, r9, r2\n\t"
        "smlad r3, r7, r11, r3\n\t"
        ".endr\n\t"
        "ldr r4, [sp, #12]\n\t"
        "cmp r12, r4\n\t"
        "bne.w 2b\n\t"
        "ldmia lr!, {r4-r9}\n\t"
        DOUBLED
        "cmp r6, #0\n\t"
        "blt.w 4f\n\t"
        "add r10, r5, r0, asr #31\n\t"
        "smmlar r0, r0, r4, r10\n\t"
        "add r10, r5, r2, asr #31\n\t"
        "smmlar r2, r2, r4, r10\n\t"
        "add r10, r8, r1, asr #31\n\t"
        "smmlar r1, r1, r7, r10\n\t"
        "add r10, r8, r3, asr #31\n\t"
        "smmlar r3, r3, r7, r10\n\t"
        "3: asr r0, r0, r6\n\t"
        "asr r1, r1, r9\n\t"
        "asr r2, r2, r6\n\t"
        "asr r3, r3, r9\n\t"
        "ldrd r10, r11, [sp, #4]\n\t"
        "ssat r0, #8, r0\n\t"
        "ssat r1, #8, r1\n\t"
        "ssat r2, #8, r2\n\t"
        "ssat r3, #8, r3\n\t"
        "strb r3, [r11, #1]\n\t"
        "strb r2, [r11], #2\n\t"
        "strb r1, [r10, #1]\n\t"
        "strb r0, [r10], #2\n\t"
        "strd r10, r11, [sp, #4]\n\t"
        "ldr r4, [sp, #20]\n\t"
        "cmp lr, r4\n\t"
        "bne.w 1b\n\t"
        "b 5f\n\t"
        "4:\n\t" /* rounds once */
        DOUBLED
        "smmla r0, r0, r4, r5\n\t"
        "smmla r2, r2, r4, r5\n\t"
        "smmla r1, r1, r7, r8\n\t"
        "smmla r3, r3, r7, r8\n\t"
        "b 3b\n\t"
        "5: add sp, sp, #24\n\t"
        "pop {r4-r11, lr}\n\t"
        : "+r"(r0)
        :
        : "r1", "r2", "r3", "r12", "lr", "cc", "memory");
}

/* Widen n bytes; the last four are filled up with zeros. */
NACRE_CODE
static int32_t *widen(int32_t *restrict to, const int8_t *restrict from, int32_t n)
{
    for (; n >= 16; n -= 16) {
        for (int32_t i = 0; i < 4; ++i) {
            const uint32_t word = nacre_word(from + 4 * i);
            to[4 * i] = nacre_even(word);
            to[4 * i + 1] = nacre_odd(word);
        }
        to += 16;
        from += 16;
    }
    for (; n >= 4; n -= 4) {
        const uint32_t word = nacre_word(from);
        to[0] = nacre_even(word);
        to[1] = nacre_odd(word);
        to += 4;
        from += 4;
    }
    if (n > 0) {
        const uint32_t second = n > 1 ? (uint16_t)from[1] : 0;
        const uint32_t third = n > 2 ? (uint32_t)(uint16_t)from[2] << 16 : 0;
        to[0] = (int32_t)((uint16_t)from[0] | third);
        to[1] = (int32_t)second;
        to += 4;
    }
    return to;
}

/* Widen `fours` times four bytes of two pixels; at least one. */
NACRE_CODE
static int32_t *widen_both(int32_t *to, const int8_t *from0, const int8_t *from1, int32_t fours)
{
    __asm volatile(
        "1:\n\t"
        "ldr r4, [%1], #4\n\t"
        "ldr r6, [%2], #4\n\t"
        "sxtb16 r5, r4, ror #8\n\t"
        "sxtb16 r4, r4\n\t"
        "sxtb16 r8, r6, ror #8\n\t"
        "sxtb16 r6, r6\n\t"
        "stmia %0!, {r4, r5, r6, r8}\n\t"
        "subs %3, %3, #1\n\t"
        "bne 1b\n\t"
        : "+r"(to), "+r"(from0), "+r"(from1), "+r"(fours)
        :
        : "r4", "r5", "r6", "r8", "cc", "memory");
    return to;
}

/* Padding for one pixel, or for two in both halves of each four words. */
NACRE_CODE
static int32_t *fill(int32_t *to, int32_t pad, int32_t n, int32_t both)
{
    const int32_t pair = (int32_t)((uint32_t)(uint16_t)pad * 0x10001u);
    for (; n > 0; n -= 4) {
        to[0] = pair;
        to[1] = pair;
        if (both) {
            to[2] = pair;
            to[3] = pair;
        }
        to += 4;
    }
    return to;
}

typedef struct {
    const nacre_conv_params_t *p;
    const int8_t *input;
    const int8_t *end; /* of the input's bytes */
    int8_t *output;
    int8_t *run;   /* room for the taps of a kernel row */
    int32_t pitch; /* bytes of an input row */
    int32_t taps;  /* of a kernel row */
    int32_t inner; /* columns from which the taps of a kernel row lie side by side */
} layer_t;

/* An output pixel on the walk over the rows: where it is written, its first tap. */
typedef struct {
    int8_t *output;
    int32_t oy;
    int32_t ox;
    int32_t y;
    int32_t x;
} place_t;

/* The taps of a kernel row that crosses a border, or that do not lie side by side. */
NACRE_CODE
static const int8_t *gather(const layer_t *layer, const int8_t *row, int32_t x)
{
    const nacre_conv_params_t *p = layer->p;
    int8_t *to = layer->run;
    for (int32_t kx = 0; kx < p->kernel_w; ++kx) {
        const int32_t inside = x >= 0 && x < p->input_w;
        const int8_t *from = row + x * p->input_c;
        for (int32_t c = 0; c < p->input_c; ++c) {
            *to++ = inside ? from[c] : (int8_t)p->pad_value;
        }
        x += p->dilation_w;
    }
    return layer->run;
}

/* All taps of one pixel. */
NACRE_CODE
static void widen_pixel(const layer_t *layer, const place_t *place, int32_t *to)
{
    const nacre_conv_params_t *p = layer->p;
    int32_t y = place->y;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        if (y < 0 || y >= p->input_h) {
            to = fill(to, p->pad_value, layer->taps, 0);
        } else {
            const int8_t *from = layer->input + nacre_ring_row(y, p->input_ring) * layer->pitch;
            if (place->x >= 0 && place->x < layer->inner) {
                to = widen(to, from + place->x * p->input_c, layer->taps);
            } else {
                to = widen(to, gather(layer, from, place->x), layer->taps);
            }
        }
        y += p->dilation_h;
    }
}

/* All taps of two pixels side by side, no border to their left or right. */
NACRE_CODE
static void widen_inner(const layer_t *layer, const place_t *place, int32_t *to)
{
    const nacre_conv_params_t *p = layer->p;
    const int32_t fours = (layer->taps + 3) / 4;
    const int32_t offset = place->x * p->input_c;
    int32_t y = place->y;
    for (int32_t ky = 0; ky < p->kernel_h; ++ky) {
        if (y < 0 || y >= p->input_h) {
            to = fill(to, p->pad_value, layer->taps, 1);
        } else {
            const int32_t row = nacre_ring_row(y, p->input_ring) * layer->pitch;
            const int8_t *from = layer->input + row + offset;
            const int8_t *next = from + p->stride_w * p->input_c;
            if (layer->end - next < 4 * fours) {
                widen(to, from, layer->taps);
                to = widen(to + 2, next, layer->taps) - 2;
            } else {
                /* Bytes beyond the taps meet weights of zero. */
                to = widen_both(to, from, next, fours);
            }
        }
        y += p->dilation_h;
    }
}

NACRE_CODE
static place_t first_of_row(const layer_t *layer, int32_t oy)
{
    const nacre_conv_params_t *p = layer->p;
    const int32_t row = nacre_ring_row(oy, p->output_ring) * p->output_w;
    const place_t place = {layer->output + row * p->output_c, oy, 0,
                           oy * p->stride_h - p->pad_top, -p->pad_left};
    return place;
}

NACRE_CODE
static void step(const layer_t *layer, place_t *place)
{
    const nacre_conv_params_t *p = layer->p;
    place->output += p->output_c;
    place->x += p->stride_w;
    if (++place->ox == p->output_w) {
        *place = first_of_row(layer, place->oy + 1);
    }
}

/* All channels of two pixels; one that has no partner comes with the one before it. */
NACRE_CODE
static void finish(const nacre_conv_params_t *p, nacre_conv_tile_t *tile)
{
    multiply(tile);
    if (p->output_c % 2 != 0) {
        nacre_conv_tile_t last = *tile;
        last.y0 += p->output_c - 2;
        last.y1 += p->output_c - 2;
        last.weights = tile->weights_end;
        last.weights_end += p->weights_pitch;
        multiply(&last);
    }
    if (p->activation_min > INT8_MIN || p->activation_max < INT8_MAX) {
        nacre_clamp_bytes(tile->y0, p->output_c, p->activation_min, p->activation_max);
        nacre_clamp_bytes(tile->y1, p->output_c, p->activation_min, p->activation_max);
    }
}

NACRE_CODE
static void convolve(const int8_t *input, const int32_t *weights, int8_t *output,
                     const nacre_conv_params_t *p, nacre_rows_t rows, int32_t *scratch)
{
    const int32_t taps = p->kernel_w * p->input_c;
    const int32_t pitch = p->input_w * p->input_c;
    const int32_t groups = p->kernel_h * ((taps + 3) / 4);
    const int32_t apart = p->dilation_w > 1 && p->kernel_w > 1;
    const layer_t layer = {p, input, input + p->input_ring * pitch, output,
                           (int8_t *)(scratch + 4 * groups), pitch, taps,
                           apart ? 0 : p->input_w - p->kernel_w + 1};
    nacre_conv_tile_t tile = {scratch, NULL, NULL, scratch + 4 * groups,
                              (-groups & (GROUPS - 1)) * GROUP, weights,
                              weights + p->output_c / 2 * p->weights_pitch};
    place_t place = first_of_row(&layer, rows.begin);
    for (int32_t left = (rows.end - rows.begin) * p->output_w; left > 0; left -= 2) {
        const int32_t inner = place.ox + 1 < p->output_w && place.x >= 0 &&
                              place.x + p->stride_w < layer.inner;
        tile.y0 = place.output;
        tile.y1 = place.output;
        if (inner) {
            widen_inner(&layer, &place, scratch);
        } else {
            widen_pixel(&layer, &place, scratch);
        }
        step(&layer, &place);
        if (left > 1) {
            if (!inner) {
                widen_pixel(&layer, &place, scratch + 2);
            }
            tile.y1 = place.output;
            step(&layer, &place);
        }
        finish(p, &tile);
    }
}
