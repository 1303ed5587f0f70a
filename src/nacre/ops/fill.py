"""FILL, ZEROS_LIKE: tensors of one value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.kind import (
    Call,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Refuse,
    SourceNode,
    attributes,
    meaning,
    meanings,
    write,
)
from nacre.ops.moves import MOVE_KERNELS, Loop, Move, move_calls, same_types


@dataclass(frozen=True)
class Fill(Attributes):
    """The output's shape; the input is the value."""

    shape: Shape = ()


@dataclass(frozen=True)
class ZerosLike(Attributes):
    """Zero bits in the shape of the input."""


@dataclass(frozen=True)
class FillParams(Params):
    c_type: ClassVar[str] = "nacre_fill_params_t"
    bytes: int = meaning("size of the output")
    element: int = meaning("bytes of an element")
    value: tuple[int, ...] = meanings("bits of the value, low word first")


FILL_BYTES = Kernel("nacre_fill", FillParams)


def value_words(value: float, dtype: DType) -> tuple[int, int]:
    """The bits of a value as two signed 32-bit words, the low one first."""
    data = np.array([value], dtype.numpy).astype(dtype.numpy.newbyteorder("<")).tobytes()
    low, high = np.frombuffer(data.ljust(8, b"\0"), "<i4")
    return int(low), int(high)


def fill_call(y: Tensor, value: float) -> tuple[Call, ...]:
    """All of y to one stored value."""
    params = FillParams(bytes=y.size, element=y.dtype.size, value=value_words(value, y.dtype))
    return (Call(FILL_BYTES, (write(y), params)),)


def _fill(source: SourceNode) -> Imported:
    shape = tuple(int(d) for d in source.constant(0, "the shape").reshape(-1))
    if any(d < 0 for d in shape):
        raise Refuse(f"shape {list(shape)}; supported: dimensions of 0 or more")
    if source.input(1).elements != 1:
        raise Refuse(f"{source.input(1).elements} values to fill with; supported: 1")
    return Imported(Fill(shape), inputs=(1,))


def _infer_fill(fill: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert isinstance(fill, Fill)
    return (fill.shape,)


def _reference_fill(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    (value,) = values
    assert value is not None
    return (np.full(attributes(node, Fill).shape, value.reshape(-1)[0], value.dtype),)


def _lower_fill(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    size = x.dtype.size
    return Lowered(move_calls(x, y, Move((Loop(y.elements, 0, size),), size)))


FILL = OpKind(
    type="FILL",
    attributes=Fill,
    summary="A tensor of one value; a constant value makes a constant.",
    supports=("every element type; the shape is a constant",),
    tflite={"FILL": _fill},
    infer=_infer_fill,
    check=same_types,
    reference=_reference_fill,
    lower=_lower_fill,
    kernels=MOVE_KERNELS,
)


def _zeros_like(source: SourceNode) -> Imported:
    return Imported(ZerosLike(), inputs=(0,))


def _infer_zeros(zeros: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert x is not None
    return (x.shape,)


def _reference_zeros(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    return (np.zeros(node.output.shape, node.output.dtype.numpy),)


def _lower_zeros(node: Node, options: LowerOptions) -> Lowered:
    return Lowered(fill_call(node.output, 0))


ZEROS_LIKE = OpKind(
    type="ZEROS_LIKE",
    attributes=ZerosLike,
    summary="Zeros in the shape of the input: a constant.",
    supports=("every element type",),
    tflite={"ZEROS_LIKE": _zeros_like},
    infer=_infer_zeros,
    check=same_types,
    reference=_reference_zeros,
    lower=_lower_zeros,
    kernels=(FILL_BYTES,),
    shape_only=True,
)
