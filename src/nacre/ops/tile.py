"""TILE, BROADCAST_TO: the input again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, Node, Shape, Tensor
from nacre.ops.boxes import box_shape, boxed, stretched
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
from nacre.ops.moves import MOVE_KERNELS, Loop, Move, move_calls, same_types, strides


@dataclass(frozen=True)
class Tile(Attributes):
    """How often each dimension repeats."""

    multiples: tuple[int, ...] = ()


@dataclass(frozen=True)
class BroadcastTo(Attributes):
    """The output's shape; dimensions of one element repeat, missing ones come first."""

    shape: Shape = ()


def _tile(source: SourceNode) -> Imported:
    rank = len(source.input(0).shape)
    multiples = tuple(int(m) for m in source.constant(1, "the multiples").reshape(-1))
    if len(multiples) != rank or any(m < 0 for m in multiples):
        raise Refuse(f"multiples {list(multiples)} for {rank} dimensions")
    return Imported(Tile(multiples), inputs=(0,))


def _infer_tile(tile: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert isinstance(tile, Tile) and x is not None
    return (tuple(n * m for n, m in zip(x.shape, tile.multiples, strict=True)),)


def _reference_tile(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    (x,) = values
    assert x is not None
    return (np.tile(x, attributes(node, Tile).multiples),)


def _lower_tile(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    source, target = strides(x.shape, x.dtype.size), strides(y.shape, y.dtype.size)
    loops: list[Loop] = []
    for d, multiple in enumerate(attributes(node, Tile).multiples):
        loops.append(Loop(multiple, 0, x.shape[d] * target[d]))
        loops.append(Loop(x.shape[d], source[d], target[d]))
    return Lowered(move_calls(x, y, Move(tuple(loops), x.dtype.size)))


def _box_tile(node: Node, output: int, box: Box) -> Boxed | None:
    """Each dimension inside one copy of the input, or made of whole copies."""
    spans, multiples = [], []
    for span, size in zip(box, node.input(0).shape, strict=True):
        first = span.begin % max(1, size)
        inside = first + span.size <= size
        if not inside and (first or span.size % size):
            return None
        spans.append(Span(first, first + span.size) if inside else Span(0, size))
        multiples.append(1 if inside else span.size // size)
    return boxed(node, box, [(0, tuple(spans))], Tile(tuple(multiples)))


TILE = OpKind(
    type="TILE",
    attributes=Tile,
    summary="The input repeated along its dimensions.",
    supports=("every element type; any number of dimensions; constant multiples",),
    tflite={"TILE": _tile},
    infer=_infer_tile,
    check=same_types,
    reference=_reference_tile,
    lower=_lower_tile,
    kernels=MOVE_KERNELS,
    box=_box_tile,
)


def _broadcast_to(source: SourceNode) -> Imported:
    x = source.input(0).shape
    shape = tuple(int(d) for d in source.constant(1, "the shape").reshape(-1))
    padded = (1,) * (len(shape) - len(x)) + x
    wrong = any(n not in (1, m) for n, m in zip(padded, shape, strict=False))
    if len(padded) != len(shape) or wrong:
        raise Refuse(f"{list(x)} does not broadcast to {list(shape)}")
    return Imported(BroadcastTo(shape), inputs=(0,))


def _infer_broadcast(to: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert isinstance(to, BroadcastTo)
    return (to.shape,)


def _reference_broadcast(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    (x,) = values
    assert x is not None
    return (np.broadcast_to(x, attributes(node, BroadcastTo).shape).copy(),)


def _lower_broadcast(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    shape = (1,) * (len(y.shape) - len(x.shape)) + x.shape
    source, target = strides(shape, x.dtype.size), strides(y.shape, y.dtype.size)
    loops = tuple(
        Loop(n, s if k == n else 0, t)
        for n, k, s, t in zip(y.shape, shape, source, target, strict=True)
    )
    return Lowered(move_calls(x, y, Move(loops, x.dtype.size)))


def _box_broadcast(node: Node, output: int, box: Box) -> Boxed | None:
    cut = (0, stretched(node.input(0).shape, box))
    return boxed(node, box, [cut], BroadcastTo(box_shape(box)))


BROADCAST_TO = OpKind(
    type="BROADCAST_TO",
    attributes=BroadcastTo,
    summary="The input repeated to a given shape.",
    supports=("every element type; any number of dimensions; a constant shape",),
    tflite={"BROADCAST_TO": _broadcast_to},
    infer=_infer_broadcast,
    check=same_types,
    reference=_reference_broadcast,
    lower=_lower_broadcast,
    kernels=MOVE_KERNELS,
    box=_box_broadcast,
)
