"""Detection post-processing against the oracles: fast and regular, float32 and uint8."""

from __future__ import annotations

import numpy as np
import pytest
from flatbuffers import flexbuffers
from hypothesis import given, settings
from hypothesis import strategies as st

from nacre.errors import RefusedModel
from nacre.frontends.tflite.importer import import_model
from nacre.reference import run_reference
from support.compare import assert_equal
from support.execute import Runner, program_of
from support.operators import check_operator
from support.oracles import run_litert
from tflite_builder import ModelBuilder

OPTIONS = {
    "max_detections": 5, "max_classes_per_detection": 1, "detections_per_class": 4,
    "use_regular_nms": False, "nms_score_threshold": 0.2, "nms_iou_threshold": 0.5,
    "num_classes": 3, "y_scale": 10.0, "x_scale": 10.0, "h_scale": 5.0, "w_scale": 5.0,
}  # fmt: skip


def detection_model(anchors: np.ndarray, scores: int, dtype: str, options: dict) -> bytes:
    b = ModelBuilder()
    boxes = len(anchors)
    q = {"boxes": (0.08, 128), "scores": (1 / 256, 0), "anchors": (1 / 256, 0)}
    scale = q if dtype == "uint8" else dict.fromkeys(q, ())
    x = [
        b.input("boxes", (1, boxes, 4), dtype, *scale["boxes"]),
        b.input("scores", (1, boxes, scores), dtype, *scale["scores"]),
        b.constant("anchors", anchors, *scale["anchors"]),
    ]
    rows = options["max_detections"] * options["max_classes_per_detection"]
    shapes = ((1, rows, 4), (1, rows), (1, rows), (1,))
    y = [b.tensor(f"y{i}", shape, "float32") for i, shape in enumerate(shapes)]
    packed = bytes(flexbuffers.Dumps(options))
    b.operator("CUSTOM:TFLite_Detection_PostProcess", x, y, None, custom_options=packed)
    b.output(*y)
    return b.build()


def scene(boxes: int, scores: int, dtype: str, seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Anchors that crowd, so that many boxes overlap; few score levels, so that many tie."""
    rng = np.random.default_rng(seed)
    centres, sizes = rng.uniform(0.2, 0.6, (boxes, 2)), rng.uniform(0.2, 0.4, (boxes, 2))
    anchors = np.concatenate([centres, sizes], axis=1)
    encodings = rng.normal(0, 1, (1, boxes, 4))
    levels = rng.integers(0, 12, (1, boxes, scores)) / 12
    if dtype == "float32":
        values = [v.astype(np.float32) for v in (encodings, levels)]
        return anchors.astype(np.float32), values
    quantized = np.clip(encodings / 0.08 + 128, 0, 255), levels * 255
    return (anchors * 256).astype(np.uint8), [v.astype(np.uint8) for v in quantized]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.sampled_from(["float32", "uint8"]),
    st.booleans(),
    st.integers(1, 40),
    st.integers(0, 1),
    st.sampled_from([1, 5, 30]),
    st.sampled_from([1, 4, 100]),
    st.integers(0, 1000),
)
def test_detections(
    dtype: str, regular: bool, boxes: int, background: int, most: int, per_class: int, seed: int
) -> None:
    options = OPTIONS | {
        "use_regular_nms": regular, "max_detections": most, "detections_per_class": per_class,
    }  # fmt: skip
    scores = options["num_classes"] + background
    anchors, inputs = scene(boxes, scores, dtype, seed)
    kept = check(anchors, scores, dtype, options, inputs)
    assert 0 <= kept <= most


def check(
    anchors: np.ndarray, scores: int, dtype: str, options: dict, inputs: list[np.ndarray]
) -> int:
    """Kernel, reference and LiteRT agree on the rows in use; it leaves the others as they were."""
    model = detection_model(anchors, scores, dtype, options)
    graph = import_model(model, "model")
    ours = Runner(program_of(graph)).run(inputs)
    for j, (a, b) in enumerate(zip(ours, run_reference(graph, inputs, {}), strict=True)):
        assert_equal(a, b, f"output {j}: kernel against numpy reference")
    (theirs,) = run_litert(model, [inputs])
    count = int(ours[3][0])
    assert count == int(theirs[3][0])
    used = np.zeros(ours[1].shape[1], bool)
    listed = 1 if options["use_regular_nms"] else options["max_classes_per_detection"]
    for n in range(count):
        used[n * listed : n * listed + min(listed, options["num_classes"])] = True
    for j in range(3):
        assert_equal(ours[j][:, used], theirs[j][:, used], f"output {j}: ours against litert")
        assert not ours[j][:, ~used].any()
    return count


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("listed", [2, 3, 5])
def test_several_classes_per_box(dtype: str, listed: int) -> None:
    anchors, inputs = scene(30, 4, dtype, 3)
    options = OPTIONS | {"max_classes_per_detection": listed}
    assert check(anchors, 4, dtype, options, inputs) > 1


@pytest.mark.parametrize("regular", [False, True])
def test_tflite_micro_agrees(regular: bool) -> None:
    """It leaves rows behind the count as they were, so here all rows are in use."""
    anchors, inputs = scene(64, 4, "float32", 7)
    options = OPTIONS | {"use_regular_nms": regular, "max_detections": 3}
    (outputs,) = check_operator(detection_model(anchors, 4, "float32", options), [inputs])
    assert outputs[3][0] == 3


def test_nothing_above_the_threshold() -> None:
    anchors, inputs = scene(8, 3, "float32", 0)
    assert check(anchors, 3, "float32", OPTIONS | {"nms_score_threshold": 2.0}, inputs) == 0


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"nms_iou_threshold": 0.0}, "nms_iou_threshold is 0; expected above 0, at most 1"),
        ({"num_classes": 9}, "3 scores for 9 classes"),
        ({"max_detections": 0}, "option max_detections is 0; supported: integers from 1"),
        ({"y_scale": 0.0}, "expected positive numbers"),
    ],
)
def test_odd_options_are_refused(change: dict, sentence: str) -> None:
    anchors, _ = scene(8, 3, "float32", 0)
    with pytest.raises(RefusedModel, match=sentence):
        import_model(detection_model(anchors, 3, "float32", OPTIONS | change), "model")
