/* SPDX-License-Identifier: Apache-2.0 */
/* Check of the choice of boxes. */
#include "../kernels/nacre_detection.h"
#include "nacre_checks.h"

/* Bytes of `count` values of a tensor that is uint8 or float. */
static int64_t bytes_of(int64_t count, int32_t quantized)
{
    return nacre_times(count, quantized != 0 ? 1 : 4);
}

/* The rows that detections are written to exist; variant 1: a row each, class by class. */
static int32_t rows_exist(const nacre_check_t *c, const nacre_detection_params_t *p)
{
    const int64_t rows = c->variant == 1
                             ? p->max_detections
                             : nacre_span(p->max_detections, p->listed, p->categories);
    return p->max_detections >= 1 && p->listed >= 1 && p->per_class >= 0 && rows >= 0 &&
           rows <= p->rows && nacre_between(p->categories, 0, p->classes) &&
           nacre_times(4, rows) >= 0;
}

int32_t nacre_check_detection(nacre_check_t *c)
{
    const nacre_detection_params_t *const p = (const nacre_detection_params_t *)c->p[0];
    c->need[0] = bytes_of(nacre_times(p->boxes, p->box_stride), p->boxes_quantized);
    c->need[1] = bytes_of(nacre_times(p->boxes, p->score_stride), p->scores_quantized);
    c->need[2] = bytes_of(nacre_times(p->boxes, 4), p->boxes_quantized);
    c->need[3] = nacre_times(p->rows, 4);
    c->need[4] = p->rows;
    c->need[5] = p->rows;
    c->need[6] = 1;
    c->need[7] = p->boxes;
    c->need[8] = p->boxes;
    c->need[9] = c->variant == 1 ? nacre_times(4, p->per_class) : 0;
    return p->boxes >= 0 && p->box_stride >= 4 && p->classes >= 1 &&
           p->score_stride >= p->classes && rows_exist(c, p);
}
