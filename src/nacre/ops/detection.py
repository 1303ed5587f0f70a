"""TFLite_Detection_PostProcess: boxes from anchors, and the best of those that overlap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.flexbuffer import decode_options
from nacre.ops.kind import (
    Argument,
    Call,
    Cost,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Pointer,
    Refuse,
    Scratch,
    SourceNode,
    attributes,
    derived_id,
    meaning,
    real_meaning,
    write,
)

# Box, class, score.
Detection: TypeAlias = tuple[int, int, float]

MOST = 1 << 20
# Boxes of one class that regular suppression keeps, unless the model says otherwise.
PER_CLASS = 100


@dataclass(frozen=True)
class DetectionPostProcess(Attributes):
    """`regular` suppresses class by class; else each box counts with its best class."""

    classes: int = 1
    max_detections: int = 1
    max_classes: int = 1
    per_class: int = PER_CLASS
    regular: bool = False
    score_threshold: float = 0.0
    iou_threshold: float = 0.5
    y_scale: float = 1.0
    x_scale: float = 1.0
    h_scale: float = 1.0
    w_scale: float = 1.0

    @property
    def rows(self) -> int:
        """Detections that the outputs have room for."""
        return self.max_detections * self.max_classes


@dataclass(frozen=True)
class DetectionParams(Params):
    c_type: ClassVar[str] = "nacre_detection_params_t"
    boxes: int = meaning("boxes, and anchors")
    box_stride: int = meaning("values per box, the first four are y, x, height, width")
    classes: int = meaning("classes that count")
    score_stride: int = meaning("scores per box; classes before the first that counts come first")
    max_detections: int = meaning("boxes that are kept at most")
    per_class: int = meaning("boxes that are kept at most of one class (regular)")
    categories: int = meaning("best classes that are listed per box (fast)")
    listed: int = meaning("rows of the outputs per box (fast)")
    rows: int = meaning("detections that the outputs have room for")
    boxes_quantized: int = meaning("1: boxes and anchors are uint8, else float")
    scores_quantized: int = meaning("1: scores are uint8, else float")
    box_zero_point: int = meaning("zero point of the boxes")
    anchor_zero_point: int = meaning("zero point of the anchors")
    score_zero_point: int = meaning("zero point of the scores")
    box_scale: float = real_meaning("scale of the boxes")
    anchor_scale: float = real_meaning("scale of the anchors")
    score_scale: float = real_meaning("scale of the scores")
    y_scale: float = real_meaning("divisor of y")
    x_scale: float = real_meaning("divisor of x")
    h_scale: float = real_meaning("divisor of the height's logarithm")
    w_scale: float = real_meaning("divisor of the width's logarithm")
    score_threshold: float = real_meaning("least score of a detection")
    iou_threshold: float = real_meaning("most overlap of two detections")


FAST = Kernel("nacre_detection_fast", DetectionParams)
REGULAR = Kernel("nacre_detection_regular", DetectionParams)


def _from_tflite(source: SourceNode) -> Imported:
    if (len(source.inputs), len(source.outputs)) != (3, 4):
        found = f"{len(source.inputs)} inputs and {len(source.outputs)} outputs"
        raise Refuse(f"{found}; expected 3 and 4")
    options = decode_options(source.custom_options)
    detection = DetectionPostProcess(
        classes=options.integer("num_classes", 1, MOST),
        max_detections=options.integer("max_detections", 1, MOST),
        max_classes=options.integer("max_classes_per_detection", 1, MOST),
        per_class=options.integer("detections_per_class", 1, MOST, default=PER_CLASS),
        regular=options.flag("use_regular_nms"),
        score_threshold=options.real("nms_score_threshold"),
        iou_threshold=options.real("nms_iou_threshold"),
        y_scale=options.real("y_scale"),
        x_scale=options.real("x_scale"),
        h_scale=options.real("h_scale"),
        w_scale=options.real("w_scale"),
    )
    return Imported(detection, inputs=(0, 1, 2))


def _infer(detection: Attributes, _: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert isinstance(detection, DetectionPostProcess)
    rows = detection.rows
    return ((1, rows, 4), (1, rows), (1, rows), (1,))


def _check(node: Node) -> str | None:
    detection = attributes(node, DetectionPostProcess)
    boxes, scores, anchors = (node.input(i) for i in range(3))
    return (
        _type_objection(node, (boxes, scores, anchors))
        or _shape_objection(detection, boxes.shape, scores.shape, anchors.shape)
        or _option_objection(detection)
    )


def _type_objection(node: Node, inputs: tuple[Tensor, ...]) -> str | None:
    boxes, scores, anchors = (t.dtype for t in inputs)
    known = (DType.FLOAT32, DType.UINT8)
    if boxes not in known or scores not in known or anchors is not boxes:
        names = f"{boxes.value}, {scores.value}, {anchors.value}"
        return (
            f"boxes, scores, anchors are {names}; supported: float32 or uint8, "
            "boxes and anchors alike"
        )
    if any(t.dtype is DType.UINT8 and t.quantization is None for t in inputs):
        return "uint8 without scale and zero point; supported: quantized tensors"
    if any(t.dtype is not DType.FLOAT32 for t in node.outputs):
        names = ", ".join(t.dtype.value for t in node.outputs)
        return f"outputs are {names}; supported: float32"
    return None


def _shape_objection(
    detection: DetectionPostProcess, boxes: Shape, scores: Shape, anchors: Shape
) -> str | None:
    found = f"boxes {list(boxes)}, scores {list(scores)}, anchors {list(anchors)}"
    if (len(boxes), len(scores), len(anchors)) != (3, 3, 2) or boxes[0] != 1 or scores[0] != 1:
        return f"{found}; supported: [1, boxes, 4], [1, boxes, classes], [boxes, 4]"
    if boxes[1] != scores[1] or anchors != (boxes[1], 4) or boxes[2] < 4:
        return f"{found}; they do not fit each other"
    if not detection.classes <= scores[2] <= detection.classes + 1:
        return f"{scores[2]} scores for {detection.classes} classes; at most one for the background"
    return None


def _option_objection(detection: DetectionPostProcess) -> str | None:
    if not 0.0 < detection.iou_threshold <= 1.0:
        return f"nms_iou_threshold is {detection.iou_threshold:g}; expected above 0, at most 1"
    scales = (detection.y_scale, detection.x_scale, detection.h_scale, detection.w_scale)
    if min(scales) <= 0.0:
        return f"scales are {scales}; expected positive numbers"
    if detection.rows > MOST:
        return f"{detection.rows} detections; supported: up to {MOST}"
    return None


# --- reference ------------------------------------------------------------------------------------


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    detection = attributes(node, DetectionPostProcess)
    boxes, scores, anchors = (_real(node.input(i), values[i]) for i in range(3))
    corners = _corners(detection, boxes[0], anchors)
    counted = scores[0][:, scores.shape[2] - detection.classes :]
    rows = np.zeros((detection.rows, 6), np.float32)
    find = _regular if detection.regular else _fast
    found, count = find(detection, corners, counted)
    for row, (box, label, score) in found.items():
        rows[row] = (*corners[box], label, score)
    number = np.array([count], np.float32)
    return rows[None, :, :4].copy(), rows[None, :, 4].copy(), rows[None, :, 5].copy(), number


def _real(tensor: Tensor, value: Array | None) -> Array:
    assert value is not None
    if tensor.dtype is DType.FLOAT32:
        return value
    offset = value.astype(np.float32) - np.float32(tensor.q.zero_point)
    return np.asarray(offset * np.float32(tensor.q.scale))


def _corners(detection: DetectionPostProcess, boxes: Array, anchors: Array) -> Array:
    """ymin, xmin, ymax, xmax of each box."""
    b, a = boxes.astype(np.float64), anchors.astype(np.float64)
    y = (b[:, 0] / detection.y_scale * a[:, 2] + a[:, 0]).astype(np.float32)
    x = (b[:, 1] / detection.x_scale * a[:, 3] + a[:, 1]).astype(np.float32)
    half_h = (0.5 * np.exp(b[:, 2] / detection.h_scale) * a[:, 2]).astype(np.float32)
    half_w = (0.5 * np.exp(b[:, 3] / detection.w_scale) * a[:, 3]).astype(np.float32)
    return np.stack([y - half_h, x - half_w, y + half_h, x + half_w], axis=1)


def _suppress(
    detection: DetectionPostProcess, corners: Array, scores: Array, most: int
) -> list[int]:
    """The best boxes that do not overlap a better one, best first; the lower index at a tie."""
    chosen: list[int] = []
    for box in np.argsort(-scores, kind="stable"):
        if scores[box] < detection.score_threshold or len(chosen) == most:
            break
        if all(_overlap(corners[box], corners[c]) <= detection.iou_threshold for c in chosen):
            chosen.append(int(box))
    return chosen


def _overlap(a: Array, b: Array) -> float:
    """Intersection over union."""
    area_a, area_b = (a[2] - a[0]) * (a[3] - a[1]), (b[2] - b[0]) * (b[3] - b[1])
    if area_a <= 0 or area_b <= 0:
        return 0.0
    height = max(min(a[2], b[2]) - max(a[0], b[0]), np.float32(0))
    width = max(min(a[3], b[3]) - max(a[1], b[1]), np.float32(0))
    return float(height * width / (area_a + area_b - height * width))


def _fast(
    detection: DetectionPostProcess, corners: Array, scores: Array
) -> tuple[dict[int, Detection], int]:
    chosen = _suppress(detection, corners, scores.max(axis=1), detection.max_detections)
    order = np.argsort(-scores, axis=1, kind="stable")[:, : detection.max_classes]
    found = {
        n * detection.max_classes + column: (box, int(label), float(scores[box, label]))
        for n, box in enumerate(chosen)
        for column, label in enumerate(order[box])
    }
    return found, len(chosen)


def _regular(
    detection: DetectionPostProcess, corners: Array, scores: Array
) -> tuple[dict[int, Detection], int]:
    found: list[Detection] = []
    for label in range(detection.classes):
        column = scores[:, label]
        chosen = _suppress(detection, corners, column, detection.per_class)
        found += [(box, label, float(column[box])) for box in chosen]
        found = sorted(found, key=lambda row: -row[2])[: detection.max_detections]
    return dict(enumerate(found)), len(found)


# --- lowering -------------------------------------------------------------------------------------


def _lower(node: Node, options: LowerOptions) -> Lowered:
    detection, boxes = attributes(node, DetectionPostProcess), node.input(0).shape[1]
    sizes = [4 * boxes, 4 * boxes]
    types = [DType.FLOAT32, DType.INT32]
    if detection.regular:
        sizes.append(16 * min(detection.per_class, boxes))
        types.append(DType.FLOAT32)
    scratch = tuple(Scratch(derived_id(node, f"scratch{n}"), s) for n, s in enumerate(sizes))
    arguments: tuple[Argument, ...] = (
        *(Pointer(node.input(i).id, DType.UINT8) for i in range(3)),
        *(write(t) for t in node.outputs),
        _params(node),
        *(Pointer(s.id, t, const=False) for s, t in zip(scratch, types, strict=True)),
    )
    return Lowered((Call(REGULAR if detection.regular else FAST, arguments),), (), scratch)


def _params(node: Node) -> DetectionParams:
    detection = attributes(node, DetectionPostProcess)
    inputs = tuple(node.input(i) for i in range(3))
    boxes, scores, _ = inputs
    box, score, anchor = (_linear(t) for t in inputs)
    return DetectionParams(
        boxes=boxes.shape[1], box_stride=boxes.shape[2], classes=detection.classes,
        score_stride=scores.shape[2], max_detections=detection.max_detections,
        per_class=min(detection.per_class, boxes.shape[1]),
        categories=min(detection.max_classes, detection.classes),
        listed=detection.max_classes, rows=detection.rows,
        boxes_quantized=int(boxes.dtype is DType.UINT8),
        scores_quantized=int(scores.dtype is DType.UINT8),
        box_zero_point=box[1], anchor_zero_point=anchor[1], score_zero_point=score[1],
        box_scale=box[0], anchor_scale=anchor[0], score_scale=score[0],
        y_scale=detection.y_scale, x_scale=detection.x_scale,
        h_scale=detection.h_scale, w_scale=detection.w_scale,
        score_threshold=detection.score_threshold, iou_threshold=detection.iou_threshold,
    )  # fmt: skip


def _linear(tensor: Tensor) -> tuple[float, int]:
    if tensor.dtype is DType.FLOAT32:
        return 1.0, 0
    return tensor.q.scale, tensor.q.zero_point


def _cost(node: Node) -> Cost:
    return Cost(macs=node.input(1).elements + 16 * node.input(0).shape[1])


DETECTION_POSTPROCESS = OpKind(
    type="TFLite_Detection_PostProcess",
    attributes=DetectionPostProcess,
    summary="Boxes from anchors; of those that overlap the one with the best score is kept.",
    supports=(
        "float32 or uint8 boxes, scores and anchors; float32 results",
        "fast and regular suppression; one image",
    ),
    tflite={"CUSTOM:TFLite_Detection_PostProcess": _from_tflite},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(FAST, REGULAR),
    cost=_cost,
)
