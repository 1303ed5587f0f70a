/* SPDX-License-Identifier: Apache-2.0 */
/* Detections where each box competes with its best score. */
#include "nacre_detection.h"
#include "nacre_detection_boxes.h"

/* The class that follows `last` in the order of scores, lower ones first at a tie; -1 begins. */
NACRE_CODE
static int32_t next_class(const uint8_t *scores, int32_t box, int32_t last,
                          const nacre_detection_params_t *p)
{
    const float limit = last < 0 ? 0.0f : nacre_detection_score(scores, box, last, p);
    int32_t found = -1;
    float most = 0.0f;
    for (int32_t label = 0; label < p->classes; ++label) {
        const float score = nacre_detection_score(scores, box, label, p);
        const int32_t follows = last < 0 || score < limit || (score == limit && label > last);
        if (follows && (found < 0 || score > most)) {
            found = label;
            most = score;
        }
    }
    return found;
}

NACRE_CODE
void nacre_detection_fast(const uint8_t *boxes, const uint8_t *scores, const uint8_t *anchors,
                          float *corners, float *labels, float *values, float *count,
                          const nacre_detection_params_t *p, float *best, int32_t *heap)
{
    for (int32_t box = 0; box < p->boxes; ++box) {
        best[box] = nacre_detection_score(scores, box, next_class(scores, box, -1, p), p);
    }
    nacre_detection_clear(corners, labels, values, 0, p->rows);
    int32_t size = nacre_detection_heap(best, heap, p);
    int32_t kept = 0;
    while (size > 0 && kept < p->max_detections) {
        const int32_t box = nacre_detection_pop(best, heap, &size);
        float decoded[4];
        nacre_detection_decode(boxes, anchors, box, p, decoded);
        if (nacre_detection_overlaps(decoded, corners, kept, 4 * p->listed, p)) {
            continue;
        }
        int32_t label = -1;
        for (int32_t row = kept * p->listed; row < kept * p->listed + p->categories; ++row) {
            label = next_class(scores, box, label, p);
            if (label < 0) {
                break; /* a score that is not a number follows none */
            }
            memcpy(corners + (size_t)(4 * row), decoded, sizeof(decoded));
            labels[row] = (float)label;
            values[row] = nacre_detection_score(scores, box, label, p);
        }
        ++kept;
    }
    *count = (float)kept;
}
