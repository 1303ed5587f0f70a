"""Sound files to start from: small ones of our own, and published ones where they are there."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
from onnx import ModelProto, numpy_helper

from support.shared import MODELS, model_index
from tflite_reader.model_writer import (
    TINY,
    Dimension,
    ModelSpec,
    OperatorSpec,
    Sparsity,
    SubgraphSpec,
    TensorSpec,
    tiny,
    with_constant,
    write_model,
)

_BLOCKS = Sparsity(
    (0, 1, 2, 3),
    (Dimension(2), Dimension(segments=(0, 1, 2), indices=(1, 0)), Dimension(2), Dimension(2)),
    block_map=(0, 1),
)
_CONVOLUTION = OperatorSpec(
    (0, 2, 3), (1,), "CONV_2D", ("Conv2DOptions", {"StrideW": 1, "StrideH": 1})
)
_HANDLE = OperatorSpec((), (2,), "VAR_HANDLE", ("VarHandleOptions", {"SharedName": "state"}))
_STATE = ModelSpec(
    (
        SubgraphSpec(
            (TensorSpec(), TensorSpec(), TensorSpec((1,), "RESOURCE"), TensorSpec()),
            (
                OperatorSpec((), (), "CALL_ONCE", ("CallOnceOptions", {"InitSubgraphIndex": 1})),
                _HANDLE,
                OperatorSpec((2,), (3,), "READ_VARIABLE"),
                OperatorSpec((0, 3), (1,), "ADD", ("AddOptions", {})),
                OperatorSpec((2, 1), (), "ASSIGN_VARIABLE"),
            ),
        ),
        SubgraphSpec(
            (TensorSpec(), TensorSpec(data=b"1234"), TensorSpec((1,), "RESOURCE")),
            (_HANDLE, OperatorSpec((2, 1), (), "ASSIGN_VARIABLE")),
        ),
    )
)
_SPECS = (
    _STATE,
    TINY,
    ModelSpec((TINY.subgraphs[0], TINY.subgraphs[0]), signature=(0, {0: "x"}, {1: "y"})),
    with_constant(TensorSpec((4, 4), data=bytes(range(8)), sparsity=_BLOCKS)),
    with_constant(TensorSpec((5,), "INT4", b"\x21\x43\x05", scales=(0.5,), zero_points=(1,))),
    with_constant(TensorSpec((2,), external=(16, 2), signature=(-1,))),
    tiny(TensorSpec((0,), "STRING"), operator=OperatorSpec(type="CUSTOM", custom_options=b"abcd")),
    tiny(
        TensorSpec((1, 4), scales=(0.5,)),
        TensorSpec((2, 2), scales=(0.5,)),
        operator=OperatorSpec(type="RESHAPE", options=("ReshapeOptions", {"NewShape": (2, 2)})),
    ),
    tiny(
        TensorSpec((1, 3, 3, 1), scales=(0.5,), zero_points=(-1,)),
        TensorSpec((1, 2, 2, 2), scales=(0.25,)),
        TensorSpec((2, 2, 2, 1), data=bytes(8), scales=(0.5, 0.25), zero_points=(0, 0)),
        TensorSpec((2,), "INT32", bytes(8), scales=(0.25, 0.125), zero_points=(0, 0)),
        operator=_CONVOLUTION,
    ),
    ModelSpec(
        (
            SubgraphSpec(
                (TensorSpec(), TensorSpec(), TensorSpec(is_variable=True), TensorSpec()),
                (
                    OperatorSpec((0, 2), (3,), "ADD", ("AddOptions", {})),
                    OperatorSpec((3,), (1,), "SOFTMAX", ("SoftmaxOptions", {"Beta": 1.0})),
                ),
            ),
        )
    ),
)


def own_files() -> tuple[bytes, ...]:
    return tuple(write_model(spec) for spec in _SPECS)


def published_files(format: str, largest: int) -> tuple[bytes, ...]:
    """Published files up to a size in bytes."""
    entries = [e for e in model_index() if e["format"] == format and e["bytes"] <= largest]
    return tuple((MODELS / e["file"]).read_bytes() for e in entries)


@cache
def node_tests(largest: int = 4096) -> tuple[bytes, ...]:
    """The node tests of the onnx package, all inputs but the first known at compile time."""
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = sorted(collect_testcases(None), key=lambda case: case.name)
    made = []
    for case in cases:
        if case.model is None or not case.data_sets:
            continue
        model = ModelProto()
        model.CopyFrom(case.model)
        values = case.data_sets[0][0][1:]
        for known, value in zip(list(model.graph.input)[1:], values, strict=False):
            if isinstance(value, np.ndarray):
                model.graph.initializer.append(numpy_helper.from_array(value, known.name))
        data = model.SerializeToString()
        if len(data) <= largest:
            made.append(data)
    return tuple(made)
