/* SPDX-License-Identifier: Apache-2.0 */
/* Boxes from anchors, and the best of those that overlap.
 *
 *   centre = box.yx / scale * anchor.hw + anchor.yx;  half = exp(box.hw / scale) * anchor.hw / 2
 * Boxes, scores and anchors are uint8 (value = (q - zero_point) * scale) or float, told by
 * boxes_quantized and scores_quantized; they are passed as bytes, aligned for their type.
 * boxes[boxes][box_stride], scores[boxes][score_stride], anchors[boxes][4]. The last `classes`
 * scores of a box count. A detection has a score >= score_threshold and overlaps no better one
 * by more than iou_threshold; of equal scores the lower index is the better.
 * Outputs: corners[rows][4] (ymin, xmin, ymax, xmax), labels[rows], values[rows], count[1];
 * rows that are not in use are zero. Inputs and outputs do not overlap.
 */
#ifndef NACRE_DETECTION_H
#define NACRE_DETECTION_H

#include "nacre_kernel.h"

typedef struct {
    int32_t boxes;
    int32_t box_stride;
    int32_t classes;
    int32_t score_stride;
    int32_t max_detections;
    int32_t per_class;
    int32_t categories;
    int32_t listed;
    int32_t rows;
    int32_t boxes_quantized;
    int32_t scores_quantized;
    int32_t box_zero_point;
    int32_t anchor_zero_point;
    int32_t score_zero_point;
    float box_scale;
    float anchor_scale;
    float score_scale;
    float y_scale;
    float x_scale;
    float h_scale;
    float w_scale;
    float score_threshold;
    float iou_threshold;
} nacre_detection_params_t;

/* Each box competes with its best score and lists its `categories` best classes, a row each,
 * in the first of its `listed` rows; the count is that of the boxes.
 * best[boxes], heap[boxes]. */
void nacre_detection_fast(const uint8_t *boxes, const uint8_t *scores, const uint8_t *anchors,
                          float *corners, float *labels, float *values, float *count,
                          const nacre_detection_params_t *p, float *best, int32_t *heap);

/* Boxes compete class by class, at most `per_class` of each are kept, then the best of all.
 * best[boxes], heap[boxes], chosen[per_class][4]. */
void nacre_detection_regular(const uint8_t *boxes, const uint8_t *scores, const uint8_t *anchors,
                             float *corners, float *labels, float *values, float *count,
                             const nacre_detection_params_t *p, float *best, int32_t *heap,
                             float *chosen);

#endif
