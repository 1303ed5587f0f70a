"""Every published network and operator is read, and says what the index of the models says."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import pytest

from nacre.frontends.tflite.reader import read_model
from nacre.frontends.tflite.records import FileModel
from support.shared import MODELS, model_index, needs_shared

TFLITE = [entry for entry in model_index() if entry["format"] == "tflite"]

# The index took these for ADD (code 0): the file leaves `deprecated_builtin_code` out and has
# `builtin_code` alone. Their options tables (PadOptions, ...) confirm what they are.
CORRECTIONS = {
    "cfu_hps_model_2021_09_20_tiled": {"PAD": 25, "STRIDED_SLICE": 8, "CONCATENATION": 2},
}


def operator_histogram(model: FileModel) -> Counter[str]:
    """Over all subgraphs, custom operators with their code: the way the index counts."""
    operators = [o for s in model.subgraphs for o in s.operators]
    return Counter(f"CUSTOM:{o.custom_code}" if o.custom_code else o.type for o in operators)


def expected_histogram(entry: dict[str, Any]) -> Counter[str]:
    corrections = Counter(CORRECTIONS.get(entry["name"], {}))
    return Counter(entry["ops"]) + corrections - Counter(ADD=corrections.total())


@needs_shared
@pytest.mark.parametrize("entry", TFLITE, ids=[entry["name"] for entry in TFLITE])
def test_agrees_with_the_index(entry: dict[str, Any]) -> None:
    model = read_model((MODELS / entry["file"]).read_bytes())
    main = model.subgraphs[0]
    assert operator_histogram(model) == expected_histogram(entry)
    for indices, expected in ((main.inputs, entry["inputs"]), (main.outputs, entry["outputs"])):
        for index, declared in zip(indices, expected, strict=True):
            check_tensor(model, index, declared)


def check_tensor(model: FileModel, index: int, declared: dict[str, Any]) -> None:
    tensor = model.subgraphs[0].tensors[index]
    assert tensor.dtype is not None and tensor.dtype.value == declared["dtype"]
    # The index has the shapes as run: free dimensions may be others there, and the outputs of
    # custom operators may have no shape in the file.
    if not tensor.dynamic and tensor.shape != ():
        assert list(tensor.shape) == declared["shape"]
    if "scale" in declared:
        assert tensor.quantization is not None
        assert math.isclose(tensor.quantization.scale, declared["scale"], rel_tol=1e-7)
        assert tensor.quantization.zero_point == declared["zero_point"]


@needs_shared
def test_keyword_spotting_in_detail() -> None:
    model = read_model((MODELS / "nets/mlperf_kws_ref_model.tflite").read_bytes())
    convolution = model.subgraphs[0].operators[0]
    assert convolution.type == "CONV_2D"
    assert convolution.options.table == "Conv2DOptions"
    assert convolution.options.integer("stride_h") == 2
    assert convolution.options.integer("stride_w") == 2
    assert convolution.options.integer("dilation_h_factor") == 1
    weights = model.subgraphs[0].tensors[convolution.inputs[1]]
    assert weights.data is not None and weights.data.shape == weights.shape == (64, 10, 4, 1)
    assert weights.quantization is not None and len(weights.quantization.scales) == 64
