"""Nodes of one operator each, made without a model file, and values for their inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from nacre.ir import (
    Array,
    Attributes,
    DType,
    Node,
    Operator,
    Quantization,
    Shape,
    Tensor,
    TensorKind,
)
from nacre.ops import BY_ATTRIBUTES

_ZERO_POINTS = {"int8": -3, "uint8": 130, "int16": 0}


def tensor(name: str, shape: Shape, dtype: str = "int8", scale: float = 0.05) -> Tensor:
    """A computed tensor; narrow integers are quantized."""
    return Tensor(name, name, shape, DType(dtype), quantization=_quantization(dtype, scale))


def _quantization(dtype: str, scale: float) -> Quantization | None:
    if dtype not in _ZERO_POINTS:
        return None
    return Quantization((scale,), (_ZERO_POINTS[dtype],))


def constant(name: str, data: Array, quantization: Quantization | None = None) -> Tensor:
    kind = TensorKind.CONSTANT
    return Tensor(name, name, data.shape, DType(data.dtype.name), kind, quantization, data)


def numbers(shape: Shape, dtype: str, seed: int = 0) -> Array:
    """Over the whole range of the type; floats around zero."""
    rng = np.random.default_rng(seed)
    if dtype == "bool":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype == "float32":
        return rng.standard_normal(shape).astype(np.float32) * 3
    low, high = (-1000, 1000) if dtype in ("int32", "int64") else DType(dtype).range
    return rng.integers(low, high, shape, endpoint=True).astype(dtype)


def node(
    attributes: Attributes,
    inputs: Sequence[Tensor | None],
    dtype: str | None = None,
    scale: float = 0.07,
    zero_point: int | None = None,
) -> Node:
    """An operator on these inputs, ready to be lowered; outputs are y0, y1, ..."""
    kind = BY_ATTRIBUTES[type(attributes)]
    first = inputs[0]
    assert first is not None
    dtype = dtype or first.dtype.value
    shapes = kind.infer(attributes, tuple(inputs))
    outputs = [tensor(f"y{n}", shape, dtype, scale) for n, shape in enumerate(shapes)]
    if zero_point is not None:
        q = Quantization((scale,), (zero_point,))
        outputs = [replace(y, quantization=q) for y in outputs]
    operator = Operator(
        ("0",), kind.type, attributes,
        tuple(None if t is None else t.id for t in inputs), tuple(y.id for y in outputs),
    )  # fmt: skip
    made = Node(operator, tuple(inputs), tuple(outputs))
    assert kind.check(made) is None, kind.check(made)
    return folded(made)


def folded(made: Node) -> Node:
    """The node with its input offset in the bias, as the passes leave it."""
    fold = BY_ATTRIBUTES[type(made.operator.attributes)].fold_offset
    found = None if fold is None else fold(made)
    if found is None:
        return made
    attributes, bias = found
    inputs = (*made.inputs[:2], bias)
    ids = tuple(None if t is None else t.id for t in inputs)
    return Node(replace(made.operator, attributes=attributes, inputs=ids), inputs, made.outputs)


def values_of(made: Node, seed: int = 0) -> dict[str, Array]:
    """Values for the inputs that are not constants."""
    return {
        t.id: numbers(t.shape, t.dtype.value, seed + n)
        for n, t in enumerate(made.inputs)
        if t is not None and not t.is_constant
    }


def weights(shape: Shape, dtype: str, axis: int, seed: int = 7) -> Tensor:
    """Weights for activations of a type, with a scale per channel where that is usual."""
    if dtype == "float32":
        return constant("w", numbers(shape, "float32", seed))
    if dtype == "uint8":
        return constant("w", numbers(shape, "uint8", seed), Quantization((0.004,), (120,)))
    scales = np.random.default_rng(seed).uniform(0.001, 0.004, shape[axis]).tolist()
    data = np.maximum(numbers(shape, "int8", seed), -127)
    return constant("w", data, Quantization(tuple(scales), (0,) * shape[axis], axis))


def bias(channels: int, dtype: str, seed: int = 8) -> Tensor:
    if dtype == "float32":
        return constant("b", numbers((channels,), "float32", seed))
    kind = "int64" if dtype == "int16" else "int32"
    return constant("b", numbers((channels,), "int32", seed).astype(kind))
