"""SHAPE, RANK, BROADCAST_ARGS, RANGE: values that are known at compile time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.kind import Imported, Lowered, LowerOptions, OpKind, Refuse, SourceNode, attributes

_INDEX_TYPES = (DType.INT32, DType.INT64)
# Numbers of a range: they become a constant.
LONGEST = 1 << 20


@dataclass(frozen=True)
class ShapeOf(Attributes):
    """The dimensions of the input."""


@dataclass(frozen=True)
class RankOf(Attributes):
    """The number of dimensions of the input."""


@dataclass(frozen=True)
class BroadcastArgs(Attributes):
    """The shape that two shapes broadcast to."""

    shape: Shape = ()


@dataclass(frozen=True)
class Range(Attributes):
    """start, start + delta, … up to limit, which is left out."""

    start: float = 0
    delta: float = 1
    count: int = 0


def _known(node: Node, options: LowerOptions) -> Lowered:
    raise AssertionError(f"op {node.id} {node.operator.type} is folded when it is imported")


def _check_index(node: Node) -> str | None:
    dtype = node.output.dtype
    if dtype not in _INDEX_TYPES:
        return f"the output is {dtype.value}; supported: int32, int64"
    return None


# --- SHAPE, RANK --------------------------------------------------------------------------------


def _shape(source: SourceNode) -> Imported:
    return Imported(ShapeOf(), inputs=(0,))


def _infer_shape(shape: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert x is not None
    return ((len(x.shape),),)


def _reference_shape(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    return (np.array(node.input(0).shape, node.output.dtype.numpy),)


SHAPE = OpKind(
    type="SHAPE",
    attributes=ShapeOf,
    summary="The dimensions of a tensor: a constant.",
    supports=("every element type; int32 and int64 results",),
    tflite={"SHAPE": _shape},
    infer=_infer_shape,
    check=_check_index,
    reference=_reference_shape,
    lower=_known,
    kernels=(),
    shape_only=True,
)


def _rank(source: SourceNode) -> Imported:
    return Imported(RankOf(), inputs=(0,))


def _infer_scalar(rank: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    return ((),)


def _reference_rank(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    return (np.array(len(node.input(0).shape), node.output.dtype.numpy),)


RANK = OpKind(
    type="RANK",
    attributes=RankOf,
    summary="The number of dimensions of a tensor: a constant.",
    supports=("every element type",),
    tflite={"RANK": _rank},
    infer=_infer_scalar,
    check=_check_index,
    reference=_reference_rank,
    lower=_known,
    kernels=(),
    shape_only=True,
)


# --- BROADCAST_ARGS -----------------------------------------------------------------------------


def _broadcast_args(source: SourceNode) -> Imported:
    shapes = [tuple(int(d) for d in source.constant(i, f"shape {i}").reshape(-1)) for i in (0, 1)]
    try:
        found = np.broadcast_shapes(*shapes)
    except ValueError:
        raise Refuse(f"{list(shapes[0])} and {list(shapes[1])} do not broadcast") from None
    return Imported(BroadcastArgs(found), inputs=(0, 1))


def _infer_args(args: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert isinstance(args, BroadcastArgs)
    return ((len(args.shape),),)


def _reference_args(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    return (np.array(attributes(node, BroadcastArgs).shape, node.output.dtype.numpy),)


BROADCAST_ARGS = OpKind(
    type="BROADCAST_ARGS",
    attributes=BroadcastArgs,
    summary="The shape that two shapes broadcast to: a constant.",
    supports=("constant shapes, int32 and int64",),
    tflite={"BROADCAST_ARGS": _broadcast_args},
    infer=_infer_args,
    check=_check_index,
    reference=_reference_args,
    lower=_known,
    kernels=(),
    shape_only=True,
)


# --- RANGE --------------------------------------------------------------------------------------


def _range(source: SourceNode) -> Imported:
    start, limit, delta = (
        _number(source, i, what) for i, what in enumerate(("the start", "the limit", "the step"))
    )
    if delta == 0:
        raise Refuse("the step is 0; supported: any other")
    # In the type of the numbers, as the runtimes count.
    count = float(np.ceil((limit - start) / delta))
    if not count <= LONGEST:
        raise Refuse(f"{start} to {limit} by {delta}; supported: up to {LONGEST} numbers")
    return Imported(Range(start.item(), delta.item(), max(0, int(count))), inputs=(0, 1, 2))


def _number(source: SourceNode, index: int, what: str) -> np.float32 | np.int64:
    values = source.constant(index, what).reshape(-1)
    if values.size != 1:
        raise Refuse(f"{what} has {values.size} elements; supported: 1")
    if source.input(index).dtype is DType.FLOAT32:
        return np.float32(values[0])
    return np.int64(values[0])


def _infer_range(numbers: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert isinstance(numbers, Range)
    return ((numbers.count,),)


def _reference_range(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    """Each value is the one before plus the step, in the output's type."""
    numbers, dtype = attributes(node, Range), node.output.dtype.numpy
    steps = np.full(numbers.count, numbers.delta, dtype)
    steps[:1] = numbers.start
    return (np.add.accumulate(steps, dtype=dtype),)


def _check_range(node: Node) -> str | None:
    dtype = node.output.dtype
    if dtype not in (*_INDEX_TYPES, DType.FLOAT32):
        return f"the output is {dtype.value}; supported: int32, int64, float32"
    return None


RANGE = OpKind(
    type="RANGE",
    attributes=Range,
    summary="Evenly spaced numbers: a constant.",
    supports=("constant limits; int32, int64, float32",),
    tflite={"RANGE": _range},
    infer=_infer_range,
    check=_check_range,
    reference=_reference_range,
    lower=_known,
    kernels=(),
    shape_only=True,
)
