"""TRANSPOSE, REVERSE_V2: dimensions in another order, or backwards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, Node, Shape, Tensor
from nacre.ops.boxes import boxed
from nacre.ops.kind import (
    Box,
    Boxed,
    Imported,
    Lowered,
    LowerOptions,
    OpKind,
    Refuse,
    SourceNode,
    Span,
    attributes,
)
from nacre.ops.moves import (
    MOVE_KERNELS,
    Loop,
    Move,
    axis_of,
    move_calls,
    same_types,
    strides,
)


@dataclass(frozen=True)
class Transpose(Attributes):
    """Dimension d of the output is dimension permutation[d] of the input."""

    permutation: tuple[int, ...] = ()


@dataclass(frozen=True)
class Reverse(Attributes):
    """Elements in the opposite order along these dimensions."""

    axes: tuple[int, ...] = ()


def _transpose(source: SourceNode) -> Imported:
    rank = len(source.input(0).shape)
    wanted = source.constant(1, "the permutation").reshape(-1)
    permutation = tuple(axis_of(int(a), rank, "permutation") for a in wanted)
    if sorted(permutation) != list(range(rank)):
        raise Refuse(f"permutation {list(permutation)} of {rank} dimensions")
    return Imported(Transpose(permutation), inputs=(0,))


def _infer_transpose(move: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert isinstance(move, Transpose) and x is not None
    return (tuple(x.shape[d] for d in move.permutation),)


def _reference_transpose(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    (x,) = values
    assert x is not None
    return (np.ascontiguousarray(x.transpose(attributes(node, Transpose).permutation)),)


def _lower_transpose(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    source, target = strides(x.shape, x.dtype.size), strides(y.shape, y.dtype.size)
    order = attributes(node, Transpose).permutation
    loops = tuple(Loop(n, source[d], t) for n, d, t in zip(y.shape, order, target, strict=True))
    return Lowered(move_calls(x, y, Move(loops, x.dtype.size)))


def _box_transpose(node: Node, output: int, box: Box) -> Boxed | None:
    order = attributes(node, Transpose).permutation
    return boxed(node, box, [(0, tuple(box[order.index(d)] for d in range(len(box))))])


TRANSPOSE = OpKind(
    type="TRANSPOSE",
    attributes=Transpose,
    summary="Dimensions in another order.",
    supports=("every element type; any number of dimensions; a constant permutation",),
    tflite={"TRANSPOSE": _transpose},
    infer=_infer_transpose,
    check=same_types,
    reference=_reference_transpose,
    lower=_lower_transpose,
    kernels=MOVE_KERNELS,
    box=_box_transpose,
)


def _reverse(source: SourceNode) -> Imported:
    rank = len(source.input(0).shape)
    wanted = source.constant(1, "the axes").reshape(-1)
    axes = sorted({axis_of(int(a), rank) for a in wanted})
    return Imported(Reverse(tuple(axes)), inputs=(0,))


def _infer_reverse(reverse: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert x is not None
    return (x.shape,)


def _reference_reverse(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    (x,) = values
    assert x is not None
    return (np.flip(x, attributes(node, Reverse).axes),)


def _lower_reverse(node: Node, options: LowerOptions) -> Lowered:
    x, axes = node.input(0), attributes(node, Reverse).axes
    steps = strides(x.shape, x.dtype.size)
    loops = tuple(
        Loop(n, -s if d in axes else s, s)
        for d, (n, s) in enumerate(zip(x.shape, steps, strict=True))
    )
    last = sum((x.shape[d] - 1) * steps[d] for d in axes)
    return Lowered(move_calls(x, node.output, Move(loops, x.dtype.size, last)))


def _box_reverse(node: Node, output: int, box: Box) -> Boxed | None:
    axes, shape = attributes(node, Reverse).axes, node.output.shape
    spans = tuple(
        Span(n - s.end, n - s.begin) if d in axes else s
        for d, (s, n) in enumerate(zip(box, shape, strict=True))
    )
    return boxed(node, box, [(0, spans)])


REVERSE_V2 = OpKind(
    type="REVERSE_V2",
    attributes=Reverse,
    summary="Elements in the opposite order along some dimensions.",
    supports=("every element type; any number of dimensions; constant axes",),
    tflite={"REVERSE_V2": _reverse},
    infer=_infer_reverse,
    check=same_types,
    reference=_reference_reverse,
    lower=_lower_reverse,
    kernels=MOVE_KERNELS,
    box=_box_reverse,
)
