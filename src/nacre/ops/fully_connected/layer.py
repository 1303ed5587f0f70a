"""What all forms of FULLY_CONNECTED share: attributes, operands, constants."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor, TensorKind
from nacre.ops.kind import derived_id


@dataclass(frozen=True)
class FullyConnected(Attributes):
    """Weights are [outputs, inputs]."""

    activation: str = "NONE"
    # The output has the input's leading dimensions; otherwise it is a matrix.
    keep_dimensions: bool = False
    # Accumulators are scaled in double precision and rounded once, as LiteRT does.
    real_scales: bool = False
    # Float rows for int8 weights are quantized with a zero point.
    asymmetric_inputs: bool = False
    # The input offset is already in the bias.
    offset_in_bias: bool = False
    # Sums are rounded once (ONNX Runtime), not twice (TFLite).
    once: bool = False


def operands(values: tuple[Array | None, ...]) -> tuple[Array, Array, Array | int]:
    """The input as a matrix, the weights, the bias or 0."""
    x, w = values[0], values[1]
    bias = values[2] if len(values) > 2 else None
    assert x is not None and w is not None
    return x.reshape(-1, w.shape[1]), w, 0 if bias is None else bias.reshape(-1)


def batches(node: Node) -> int:
    """Rows of the input."""
    return node.output.elements // node.input(1).shape[0]


def bias_as(node: Node, dtype: DType) -> Tensor:
    """The bias in the element type that the kernel reads; zeros where the layer has none."""
    bias = node.optional(2)
    if bias is not None and bias.dtype is dtype:
        return bias
    shape = node.input(1).shape[:1]
    data = np.zeros(shape, dtype.numpy) if bias is None else bias.constant.astype(dtype.numpy)
    name = f"{node.output.name} bias" if bias is None else bias.name
    origins = () if bias is None else (bias.id,)
    return constant(node, "bias", name, data, origins)


def constant(
    node: Node, what: str, name: str, data: Array, origins: tuple[str, ...] = ()
) -> Tensor:
    """A constant that lowering makes."""
    return Tensor(
        derived_id(node, what), name, data.shape, DType(data.dtype.name), TensorKind.CONSTANT,
        data=np.ascontiguousarray(data), origins=origins,
    )  # fmt: skip
