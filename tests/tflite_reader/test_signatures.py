"""Operators whose tensors or options make no sense are refused before a rule sees them."""

from __future__ import annotations

import pytest

from nacre.frontends.tflite.signatures import check_source
from nacre.ir import DType, Quantization, Tensor
from nacre.ir.options import Options
from nacre.ops.kind import Refuse, SourceNode

Q = Quantization((0.5,), (0,))
STEPS = {"stride_h": 1, "stride_w": 1, "dilation_h_factor": 1, "dilation_w_factor": 1}


def tensor(*shape: int, dtype: DType = DType.INT8, quantization: Quantization | None = Q) -> Tensor:
    return Tensor("0", "t", shape, dtype, quantization=quantization)


def channels(count: int, axis: int) -> Quantization:
    return Quantization((0.5,) * count, (0,) * count, axis)


IMAGE = tensor(1, 4, 4, 2)
WEIGHTS = tensor(3, 2, 2, 2, quantization=channels(3, 0))
OUT = (tensor(1, 3, 3, 3),)


def source(
    kind: str,
    inputs: tuple[Tensor | None, ...],
    outputs: tuple[Tensor, ...] = OUT,
    options: dict[str, int] = STEPS,
) -> SourceNode:
    return SourceNode(kind, Options("", options), inputs, outputs)


SOUND = {
    "convolution": source("CONV_2D", (IMAGE, WEIGHTS, None)),
    "bias": source("CONV_2D", (IMAGE, WEIGHTS, tensor(3, quantization=channels(3, 0)))),
    "floats": source("ADD", (tensor(2, dtype=DType.FLOAT32, quantization=None),) * 2),
    "indices": source("ADD", (tensor(2, dtype=DType.INT32, quantization=None),) * 2),
    "moved weights": source("TRANSPOSE", (WEIGHTS, tensor(4)), (WEIGHTS,)),
    "bytes": source("GATHER", (tensor(2, quantization=None),) * 2, (tensor(2, quantization=None),)),
    "many outputs": source("SPLIT", (tensor(), IMAGE), OUT * 3),
    "no outputs": source("ASSIGN_VARIABLE", (IMAGE, IMAGE), ()),
    "unknown": source("NEW_OPERATOR", (IMAGE,)),
    "custom": source("CUSTOM", (IMAGE,), ()),
    "old reshape": source("RESHAPE", (IMAGE,)),
}

REFUSED = {
    "no inputs": (source("LOGISTIC", ()), "it has 0 inputs; supported: 1 or more"),
    "few inputs": (source("FULLY_CONNECTED", (IMAGE,)), "it has 1 inputs; supported: 2 or more"),
    "absent input": (source("CONCATENATION", (IMAGE, None)), "input 1 is missing"),
    "absent custom input": (source("CUSTOM", (None,), ()), "input 0 is missing"),
    "real sizes": (
        source("SLICE", (IMAGE, tensor(4, dtype=DType.FLOAT32), tensor(4))),
        "input 1 is float32; supported: integers",
    ),
    "input rank": (source("CONV_2D", (tensor(4, 4, 2), WEIGHTS)), "input 0 is [4, 4, 2]"),
    "weights rank": (source("CONV_2D", (IMAGE, tensor(3, 2))), "input 1 is [3, 2]"),
    "scalar": (source("MAX_POOL_2D", (tensor(),)), "input 0 is []; supported: 4 dimensions"),
    "stride": (source("CONV_2D", (IMAGE, WEIGHTS), options={}), "stride_h is 0"),
    "negative": (
        source("CONV_2D", (IMAGE, WEIGHTS), options=STEPS | {"dilation_w_factor": -1}),
        "dilation_w_factor is -1; supported: 1 or more",
    ),
    "block": (source("SPACE_TO_DEPTH", (IMAGE,), options={}), "block_size is 0"),
    "outputs": (source("CONV_2D", (IMAGE, WEIGHTS), OUT * 2), "it has 2 outputs; supported: 1"),
    "none": (source("SPLIT", (tensor(), IMAGE), ()), "it has no outputs"),
    "activation": (
        source("CONV_2D", (tensor(1, 4, 4, 2, quantization=channels(2, 3)), WEIGHTS)),
        "input 0 has 2 scales; supported: one",
    ),
    "output scales": (
        source("CONV_2D", (IMAGE, WEIGHTS), (tensor(1, 3, 3, 3, quantization=channels(3, 3)),)),
        "output 0 has 3 scales; supported: one",
    ),
    "axis": (
        source("CONV_2D", (IMAGE, tensor(3, 2, 2, 2, quantization=channels(2, 3)))),
        "input 1 is quantized along dimension 3; supported: 0",
    ),
    "bias": (
        source("CONV_2D", (IMAGE, WEIGHTS, tensor(6))),
        "the bias has 6 values; supported: 3 as the weights",
    ),
    "depthwise bias": (
        source("DEPTHWISE_CONV_2D", (IMAGE, tensor(1, 2, 2, 4), tensor(1))),
        "the bias has 1 values; supported: 4 as the weights",
    ),
    "no scale": (
        source("LOGISTIC", (tensor(2, quantization=None),)),
        "input 0 is int8 without a scale",
    ),
    "no output scale": (
        source("LOGISTIC", (tensor(2),), (tensor(2, quantization=None),)),
        "output 0 is int8 without a scale",
    ),
}


@pytest.mark.parametrize("name", SOUND)
def test_sound(name: str) -> None:
    assert check_source(SOUND[name]) is None


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str) -> None:
    node, sentence = REFUSED[name]
    with pytest.raises(Refuse) as caught:
        check_source(node)
    assert sentence in str(caught.value)
