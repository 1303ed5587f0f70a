/* SPDX-License-Identifier: Apache-2.0 */
/* What fast and regular suppression share: reading, decoding, overlap, and the order of boxes. */
#ifndef NACRE_DETECTION_BOXES_H
#define NACRE_DETECTION_BOXES_H

#include <math.h>
#include <string.h>

#include "nacre_detection.h"

/* Value `index` of uint8 or float data. */
NACRE_CODE
static inline float nacre_detection_value(const uint8_t *data, int32_t index, int32_t quantized,
                                          int32_t zero_point, float scale)
{
    float value;
    if (quantized) {
        return ((float)data[index] - (float)zero_point) * scale;
    }
    memcpy(&value, data + (size_t)index * sizeof(value), sizeof(value));
    return value;
}

NACRE_CODE
static inline float nacre_detection_score(const uint8_t *scores, int32_t box, int32_t label,
                                          const nacre_detection_params_t *p)
{
    const int32_t background = p->score_stride - p->classes;
    return nacre_detection_value(scores, box * p->score_stride + background + label,
                                 p->scores_quantized, p->score_zero_point, p->score_scale);
}

/* Corners of a box: ymin, xmin, ymax, xmax. */
NACRE_CODE
static inline void nacre_detection_decode(const uint8_t *boxes, const uint8_t *anchors, int32_t box,
                                          const nacre_detection_params_t *p, float corners[4])
{
    float b[4];
    float a[4];
    for (int32_t i = 0; i < 4; ++i) {
        b[i] = nacre_detection_value(boxes, box * p->box_stride + i, p->boxes_quantized,
                                     p->box_zero_point, p->box_scale);
        a[i] = nacre_detection_value(anchors, box * 4 + i, p->boxes_quantized,
                                     p->anchor_zero_point, p->anchor_scale);
    }
    const float y = b[0] / p->y_scale * a[2] + a[0];
    const float x = b[1] / p->x_scale * a[3] + a[1];
    const float half_h = 0.5f * expf(b[2] / p->h_scale) * a[2];
    const float half_w = 0.5f * expf(b[3] / p->w_scale) * a[3];
    corners[0] = y - half_h;
    corners[1] = x - half_w;
    corners[2] = y + half_h;
    corners[3] = x + half_w;
}

/* Does `box` overlap one of `count` others, `step` floats apart, too much? */
NACRE_CODE
static inline int32_t nacre_detection_overlaps(const float box[4], const float *others,
                                               int32_t count, int32_t step,
                                               const nacre_detection_params_t *p)
{
    const float area = (box[2] - box[0]) * (box[3] - box[1]);
    for (int32_t i = 0; i < count; ++i) {
        const float *o = others + (size_t)(i * step);
        const float other = (o[2] - o[0]) * (o[3] - o[1]);
        const float height = fminf(box[2], o[2]) - fmaxf(box[0], o[0]);
        const float width = fminf(box[3], o[3]) - fmaxf(box[1], o[1]);
        if (area <= 0.0f || other <= 0.0f || height <= 0.0f || width <= 0.0f) {
            continue;
        }
        const float common = height * width;
        if (common / (area + other - common) > p->iou_threshold) {
            return 1;
        }
    }
    return 0;
}

/* Box a comes before box b. */
NACRE_CODE
static inline int32_t nacre_detection_before(const float *best, int32_t a, int32_t b)
{
    return best[a] > best[b] || (best[a] == best[b] && a < b);
}

/* Let the box at `at` sink until none below comes before it. */
NACRE_CODE
static inline void nacre_detection_sink(const float *best, int32_t *heap, int32_t size, int32_t at)
{
    for (;;) {
        int32_t child = 2 * at + 1;
        if (child >= size) {
            return;
        }
        if (child + 1 < size && nacre_detection_before(best, heap[child + 1], heap[child])) {
            ++child;
        }
        if (!nacre_detection_before(best, heap[child], heap[at])) {
            return;
        }
        const int32_t box = heap[at];
        heap[at] = heap[child];
        heap[child] = box;
        at = child;
    }
}

/* A heap of the boxes whose best score reaches the threshold; returns how many. */
NACRE_CODE
static inline int32_t nacre_detection_heap(const float *best, int32_t *heap,
                                           const nacre_detection_params_t *p)
{
    int32_t size = 0;
    for (int32_t box = 0; box < p->boxes; ++box) {
        if (best[box] >= p->score_threshold) {
            heap[size++] = box;
        }
    }
    for (int32_t at = size / 2; at > 0; --at) {
        nacre_detection_sink(best, heap, size, at - 1);
    }
    return size;
}

/* Takes the first box off the heap. */
NACRE_CODE
static inline int32_t nacre_detection_pop(const float *best, int32_t *heap, int32_t *size)
{
    const int32_t box = heap[0];
    heap[0] = heap[--*size];
    nacre_detection_sink(best, heap, *size, 0);
    return box;
}

NACRE_CODE
static inline void nacre_detection_clear(float *corners, float *labels, float *values,
                                         int32_t begin, int32_t end)
{
    for (int32_t row = begin; row < end; ++row) {
        memset(corners + (size_t)(4 * row), 0, 4 * sizeof(*corners));
        labels[row] = 0.0f;
        values[row] = 0.0f;
    }
}

#endif
