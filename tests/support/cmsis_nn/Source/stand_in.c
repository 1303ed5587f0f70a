/* SPDX-License-Identifier: Apache-2.0 */
/* The stand-in's functions: plain loops after the public description, no speed, all checks. */
#include "arm_nnfunctions.h"

#include <stddef.h>

/* Working memory that the library could ask for; written over to show that nobody relies on it. */
static int use(const cmsis_nn_context *context, int32_t needed)
{
    if (needed > 0 && (context->buf == NULL || context->size < needed)) {
        return 0;
    }
    for (int32_t i = 0; i < needed; ++i) {
        ((uint8_t *)context->buf)[i] = 0x5a;
    }
    return 1;
}

static int32_t requantize(int32_t x, int32_t multiplier, int32_t shift)
{
    int64_t value = (int64_t)x * ((int64_t)1 << (shift > 0 ? shift : 0));
    value = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value;
    int64_t product = value * multiplier;
    product += product >= 0 ? (1 << 30) : 1 - (1 << 30);
    int64_t high = product / ((int64_t)1 << 31);
    if (shift >= 0) {
        return (int32_t)high;
    }
    const int64_t mask = ((int64_t)1 << -shift) - 1;
    const int64_t rest = high & mask;
    const int64_t half = (mask >> 1) + (high < 0);
    return (int32_t)((high >> -shift) + (rest > half));
}

static int8_t clamp(int64_t x, cmsis_nn_activation range)
{
    return (int8_t)(x < range.min ? range.min : x > range.max ? range.max : x);
}

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params *conv,
                                                const cmsis_nn_dims *in, const cmsis_nn_dims *w,
                                                const cmsis_nn_dims *out)
{
    (void)conv;
    (void)out;
    return 4 * ((in->c * w->w * w->h + 15) / 16 * 16);
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(
    const cmsis_nn_context *context, const cmsis_nn_conv_params *conv,
    const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *in, const int8_t *x,
    const cmsis_nn_dims *filter, const int8_t *w, const cmsis_nn_dims *bias_dims,
    const int32_t *bias, const cmsis_nn_dims *out, int8_t *y)
{
    if (bias_dims->c != out->c || filter->n != out->c || filter->c != in->c ||
        !use(context, arm_convolve_wrapper_s8_get_buffer_size(conv, in, filter, out))) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t n = 0; n < in->n; ++n)
    for (int32_t oy = 0; oy < out->h; ++oy)
    for (int32_t ox = 0; ox < out->w; ++ox)
    for (int32_t oc = 0; oc < out->c; ++oc) {
        int32_t acc = bias[oc];
        for (int32_t ky = 0; ky < filter->h; ++ky)
        for (int32_t kx = 0; kx < filter->w; ++kx) {
            const int32_t iy = oy * conv->stride.h - conv->padding.h + ky * conv->dilation.h;
            const int32_t ix = ox * conv->stride.w - conv->padding.w + kx * conv->dilation.w;
            if (iy < 0 || iy >= in->h || ix < 0 || ix >= in->w) {
                continue;
            }
            for (int32_t c = 0; c < in->c; ++c) {
                acc += (x[((n * in->h + iy) * in->w + ix) * in->c + c] + conv->input_offset) *
                       w[((oc * filter->h + ky) * filter->w + kx) * in->c + c];
            }
        }
        acc = requantize(acc, quant->multiplier[oc], quant->shift[oc]) + conv->output_offset;
        *y++ = clamp(acc, conv->activation);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params *conv,
                                                      const cmsis_nn_dims *in,
                                                      const cmsis_nn_dims *w,
                                                      const cmsis_nn_dims *out)
{
    (void)conv;
    (void)in;
    const int32_t vector = 4 * 124 * w->w * w->h, wide = 2 * out->c * w->w * w->h;
    return vector > wide ? vector : wide;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(
    const cmsis_nn_context *context, const cmsis_nn_dw_conv_params *conv,
    const cmsis_nn_per_channel_quant_params *quant, const cmsis_nn_dims *in, const int8_t *x,
    const cmsis_nn_dims *filter, const int8_t *w, const cmsis_nn_dims *bias_dims,
    const int32_t *bias, const cmsis_nn_dims *out, int8_t *y)
{
    if (bias_dims->c != out->c || filter->c != out->c || conv->ch_mult * in->c != out->c ||
        !use(context, arm_depthwise_conv_wrapper_s8_get_buffer_size(conv, in, filter, out))) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    for (int32_t n = 0; n < in->n; ++n)
    for (int32_t oy = 0; oy < out->h; ++oy)
    for (int32_t ox = 0; ox < out->w; ++ox)
    for (int32_t oc = 0; oc < out->c; ++oc) {
        int32_t acc = bias[oc];
        for (int32_t ky = 0; ky < filter->h; ++ky)
        for (int32_t kx = 0; kx < filter->w; ++kx) {
            const int32_t iy = oy * conv->stride.h - conv->padding.h + ky * conv->dilation.h;
            const int32_t ix = ox * conv->stride.w - conv->padding.w + kx * conv->dilation.w;
            if (iy < 0 || iy >= in->h || ix < 0 || ix >= in->w) {
                continue;
            }
            const int32_t at = ((n * in->h + iy) * in->w + ix) * in->c + oc / conv->ch_mult;
            acc += (x[at] + conv->input_offset) * w[(ky * filter->w + kx) * out->c + oc];
        }
        acc = requantize(acc, quant->multiplier[oc], quant->shift[oc]) + conv->output_offset;
        *y++ = clamp(acc, conv->activation);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims *filter)
{
    return filter->c * (int32_t)sizeof(int32_t);
}

/* As on cores with vectors: the buffer holds bias + input_offset * sum of a row of weights. */
arm_cmsis_nn_status arm_fully_connected_s8(
    const cmsis_nn_context *context, const cmsis_nn_fc_params *fc,
    const cmsis_nn_per_tensor_quant_params *quant, const cmsis_nn_dims *in, const int8_t *x,
    const cmsis_nn_dims *filter, const int8_t *w, const cmsis_nn_dims *bias_dims,
    const int32_t *bias, const cmsis_nn_dims *out, int8_t *y)
{
    if (context->buf == NULL || filter->c != out->c || bias_dims->c != out->c ||
        context->size < arm_fully_connected_s8_get_buffer_size(filter)) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    const int32_t *sums = context->buf;
    for (int32_t n = 0; n < in->n; ++n, x += filter->n) {
        for (int32_t o = 0; o < out->c; ++o) {
            int32_t acc = sums[o], plain = bias[o];
            for (int32_t i = 0; i < filter->n; ++i) {
                acc += x[i] * w[o * filter->n + i];
                plain += (x[i] + fc->input_offset) * w[o * filter->n + i];
            }
            if (acc != plain) {
                return ARM_CMSIS_NN_ARG_ERROR;
            }
            acc = requantize(acc, quant->multiplier, quant->shift) + fc->output_offset;
            *y++ = clamp(acc, fc->activation);
        }
    }
    return ARM_CMSIS_NN_SUCCESS;
}

int32_t arm_avgpool_s8_get_buffer_size(const int width, const int channels)
{
    (void)width;
    return channels * (int32_t)sizeof(int32_t);
}

static void pool(const cmsis_nn_pool_params *p, const cmsis_nn_dims *in, const int8_t *x,
                 const cmsis_nn_dims *filter, const cmsis_nn_dims *out, int8_t *y, int average)
{
    for (int32_t n = 0; n < in->n; ++n)
    for (int32_t oy = 0; oy < out->h; ++oy)
    for (int32_t ox = 0; ox < out->w; ++ox)
    for (int32_t c = 0; c < in->c; ++c) {
        int32_t sum = 0, count = 0, largest = -128;
        for (int32_t ky = 0; ky < filter->h; ++ky)
        for (int32_t kx = 0; kx < filter->w; ++kx) {
            const int32_t iy = oy * p->stride.h - p->padding.h + ky;
            const int32_t ix = ox * p->stride.w - p->padding.w + kx;
            if (iy >= 0 && iy < in->h && ix >= 0 && ix < in->w) {
                const int32_t value = x[((n * in->h + iy) * in->w + ix) * in->c + c];
                sum += value;
                largest = value > largest ? value : largest;
                ++count;
            }
        }
        const int32_t mean = sum > 0 ? (sum + count / 2) / count : (sum - count / 2) / count;
        *y++ = clamp(average ? mean : largest, p->activation);
    }
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context *context, const cmsis_nn_pool_params *p,
                                   const cmsis_nn_dims *in, const int8_t *x,
                                   const cmsis_nn_dims *filter, const cmsis_nn_dims *out,
                                   int8_t *y)
{
    if (!use(context, arm_avgpool_s8_get_buffer_size(out->w, in->c))) {
        return ARM_CMSIS_NN_ARG_ERROR;
    }
    pool(p, in, x, filter, out, y, 1);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context *context, const cmsis_nn_pool_params *p,
                                    const cmsis_nn_dims *in, const int8_t *x,
                                    const cmsis_nn_dims *filter, const cmsis_nn_dims *out,
                                    int8_t *y)
{
    (void)context;
    pool(p, in, x, filter, out, y, 0);
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t *a, const int8_t *b, int32_t a_offset,
                                           int32_t a_mult, int32_t a_shift, int32_t b_offset,
                                           int32_t b_mult, int32_t b_shift, int32_t left,
                                           int8_t *y, int32_t offset, int32_t mult, int32_t shift,
                                           int32_t low, int32_t high, int32_t size)
{
    const cmsis_nn_activation range = {low, high};
    for (int32_t i = 0; i < size; ++i) {
        const int32_t first = requantize((a[i] + a_offset) * (1 << left), a_mult, a_shift);
        const int32_t second = requantize((b[i] + b_offset) * (1 << left), b_mult, b_shift);
        y[i] = clamp(requantize(first + second, mult, shift) + offset, range);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

arm_cmsis_nn_status arm_elementwise_mul_s8(const int8_t *a, const int8_t *b, int32_t a_offset,
                                           int32_t b_offset, int8_t *y, int32_t offset,
                                           int32_t mult, int32_t shift, int32_t low, int32_t high,
                                           int32_t size)
{
    const cmsis_nn_activation range = {low, high};
    for (int32_t i = 0; i < size; ++i) {
        const int32_t product = (a[i] + a_offset) * (b[i] + b_offset);
        y[i] = clamp(requantize(product, mult, shift) + offset, range);
    }
    return ARM_CMSIS_NN_SUCCESS;
}

static int32_t saturate(int64_t x)
{
    return (int32_t)(x > INT32_MAX ? INT32_MAX : x < INT32_MIN ? INT32_MIN : x);
}

/* Rounded product of two numbers with 31 bits of fraction. */
static int32_t times(int32_t a, int32_t b)
{
    const int64_t product = (int64_t)a * b;
    return saturate((product + (product >= 0 ? (1 << 30) : 1 - (1 << 30))) / ((int64_t)1 << 31));
}

/* x / 2^n, halves away from zero. */
static int32_t halved(int32_t x, int n)
{
    return n == 0 ? x : requantize(x, INT32_MAX, -n);
}

/* e^x for x in [-1/4, 0), 31 bits of fraction: a series around -1/8. */
static int32_t exp_near_zero(int32_t x)
{
    const int32_t y = x + (1 << 28), y2 = times(y, y), y3 = times(y2, y), y4 = times(y2, y2);
    const int32_t tail = halved(times(halved(y4, 2) + y3, 715827883) + y2, 1);
    return saturate((int64_t)1895147668 + times(1895147668, y + tail));
}

/* e^x for x <= 0 with 26 bits of fraction. */
static int32_t exp_of(int32_t x)
{
    static const int32_t powers[] = {1672461947, 1302514674, 790015084, 290630308,
                                     39332535, 720401, 242};
    const int32_t quarter = 1 << 24, low = (x & (quarter - 1)) - quarter;
    int32_t result = exp_near_zero(saturate((int64_t)low * 32));
    for (int i = 0; i < 7; ++i) {
        result = ((low - x) & (quarter << i)) ? times(result, powers[i]) : result;
    }
    return x == 0 ? INT32_MAX : result;
}

/* 1 / (1 + x) for x in [0, 1), 31 bits of fraction: three steps of Newton's. */
static int32_t reciprocal(int32_t x)
{
    const int64_t sum = (int64_t)x + INT32_MAX;
    const int32_t half = (int32_t)((sum + (sum >= 0 ? 1 : -1)) / 2);
    int32_t y = 1515870810 + times(half, -1010580540);
    for (int i = 0; i < 3; ++i) {
        y += saturate((int64_t)times(y, (1 << 29) - times(half, y)) * 4);
    }
    return saturate((int64_t)y * 2);
}

void arm_softmax_s8(const int8_t *x, int32_t rows, int32_t size, int32_t mult, int32_t shift,
                    int32_t diff_min, int8_t *y)
{
    const cmsis_nn_activation range = {-128, 127};
    for (int32_t r = 0; r < rows; ++r, x += size, y += size) {
        int32_t largest = -128, sum = 0, headroom = 0;
        for (int32_t i = 0; i < size; ++i) {
            largest = x[i] > largest ? x[i] : largest;
        }
        for (int32_t i = 0; i < size; ++i) {
            const int32_t d = x[i] - largest;
            sum += d >= diff_min ? halved(exp_of(times(d * (1 << shift), mult)), 12) : 0;
        }
        while (!(((uint32_t)sum << headroom) & 0x80000000u)) {
            ++headroom;
        }
        const int32_t scale = reciprocal((int32_t)(((uint32_t)sum << headroom) - 0x80000000u));
        for (int32_t i = 0; i < size; ++i) {
            const int32_t d = x[i] - largest;
            const int32_t power = d >= diff_min ? exp_of(times(d * (1 << shift), mult)) : 0;
            const int32_t value = halved(times(scale, power), 12 - headroom + 31 - 8);
            y[i] = d >= diff_min ? clamp((int64_t)value - 128, range) : -128;
        }
    }
}
