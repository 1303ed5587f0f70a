/* SPDX-License-Identifier: Apache-2.0 */
/* Detections where boxes compete class by class. */
#include "nacre_detection.h"
#include "nacre_detection_boxes.h"

/* Sorts a detection into the rows, behind those that are as good; returns how many there are. */
NACRE_CODE
static int32_t insert(const float box[4], int32_t label, float score, float *corners,
                      float *labels, float *values, int32_t kept, int32_t most)
{
    int32_t row = kept < most ? kept : most - 1;
    for (; row > 0 && values[row - 1] < score; --row) {
        memcpy(corners + (size_t)(4 * row), corners + (size_t)(4 * (row - 1)), 4 * sizeof(float));
        labels[row] = labels[row - 1];
        values[row] = values[row - 1];
    }
    memcpy(corners + (size_t)(4 * row), box, 4 * sizeof(float));
    labels[row] = (float)label;
    values[row] = score;
    return kept < most ? kept + 1 : kept;
}

NACRE_CODE
void nacre_detection_regular(const uint8_t *boxes, const uint8_t *scores, const uint8_t *anchors,
                             float *corners, float *labels, float *values, float *count,
                             const nacre_detection_params_t *p, float *best, int32_t *heap,
                             float *chosen)
{
    int32_t kept = 0;
    for (int32_t label = 0; label < p->classes; ++label) {
        for (int32_t box = 0; box < p->boxes; ++box) {
            best[box] = nacre_detection_score(scores, box, label, p);
        }
        int32_t size = nacre_detection_heap(best, heap, p);
        int32_t of_class = 0;
        while (size > 0 && of_class < p->per_class) {
            const int32_t box = nacre_detection_pop(best, heap, &size);
            if (kept == p->max_detections && values[kept - 1] >= best[box]) {
                break; /* neither this one nor those behind it make it into the rows */
            }
            float *decoded = chosen + (size_t)(4 * of_class);
            nacre_detection_decode(boxes, anchors, box, p, decoded);
            if (!nacre_detection_overlaps(decoded, chosen, of_class, 4, p)) {
                kept = insert(decoded, label, best[box], corners, labels, values, kept,
                              p->max_detections);
                ++of_class;
            }
        }
    }
    nacre_detection_clear(corners, labels, values, kept, p->rows);
    *count = (float)kept;
}
