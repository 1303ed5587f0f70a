"""SPLIT, SPLIT_V, UNPACK: parts of a tensor along a dimension, which UNPACK leaves out."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, Node, Shape, Tensor
from nacre.ops.boxes import boxed
from nacre.ops.kind import (
    Box,
    Boxed,
    Call,
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
    MOVE_ROWS,
    Loop,
    Move,
    MoveRowsParams,
    axis_of,
    constant_integer,
    image_calls,
    move_calls,
    row_size,
    same_types,
)
from nacre.ops.reshape import Copy


@dataclass(frozen=True)
class Split(Attributes):
    """Parts of these sizes along `axis`."""

    axis: int = 0
    sizes: tuple[int, ...] = ()


@dataclass(frozen=True)
class SplitV(Split):
    """The same with sizes of the file's choice."""


@dataclass(frozen=True)
class Unpack(Attributes):
    """One output per index along `axis`, without that dimension."""

    axis: int = 0
    count: int = 1


# --- import -------------------------------------------------------------------------------------


def _split(source: SourceNode) -> Imported:
    shape, parts = source.input(1).shape, len(source.outputs)
    axis = _axis(source, 0, shape)
    if source.options.integer("num_splits") != parts or shape[axis] % parts:
        wanted = source.options.integer("num_splits")
        raise Refuse(f"{shape[axis]} elements into {wanted} equal parts and {parts} outputs")
    return Imported(Split(axis, (shape[axis] // parts,) * parts), inputs=(1,))


def _split_v(source: SourceNode) -> Imported:
    shape = source.input(0).shape
    axis = _axis(source, 2, shape)
    sizes = [int(s) for s in source.constant(1, "the sizes").reshape(-1)]
    if sizes.count(-1) == 1:
        sizes[sizes.index(-1)] = shape[axis] - sum(s for s in sizes if s != -1)
    if min(sizes, default=-1) < 0 or sum(sizes) != shape[axis] or len(sizes) != len(source.outputs):
        raise Refuse(
            f"{shape[axis]} elements into parts of {sizes} and {len(source.outputs)} outputs"
        )
    return Imported(SplitV(axis, tuple(sizes)), inputs=(0,))


def _axis(source: SourceNode, index: int, shape: Shape) -> int:
    return axis_of(constant_integer(source, index, "the axis"), len(shape))


def _unpack(source: SourceNode) -> Imported:
    shape = source.input(0).shape
    axis = axis_of(source.options.integer("axis"), len(shape))
    slices, number = shape[axis], source.options.integer("num")
    if slices != len(source.outputs) or slices != number:
        found = f"{slices} slices, num {number} and {len(source.outputs)} outputs"
        raise Refuse(f"{found}; expected as many of each")
    return Imported(Unpack(axis, shape[axis]), inputs=(0,))


# --- SPLIT --------------------------------------------------------------------------------------


def _infer(split: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert isinstance(split, Split) and x is not None
    axis = split.axis
    return tuple((*x.shape[:axis], size, *x.shape[axis + 1 :]) for size in split.sizes)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    split, (x,) = attributes(node, Split), values
    assert x is not None
    return tuple(np.split(x, np.cumsum(split.sizes)[:-1], split.axis))


def _lower(node: Node, options: LowerOptions) -> Lowered:
    axis, x = attributes(node, Split).axis, node.input(0)
    inner = x.dtype.size * math.prod(x.shape[axis + 1 :])
    calls: list[Call] = []
    source = 0
    for y in node.outputs:
        calls.extend(_part(x, y, axis, source))
        source += y.shape[axis] * inner
    return Lowered(tuple(calls))


def _part(x: Tensor, y: Tensor, axis: int, source: int) -> tuple[Call, ...]:
    if y.elements == 0:
        return ()
    if _is_image(axis, x):
        return image_calls(x, y, source, 0, _row_params(x, y, axis))
    inner = x.dtype.size * math.prod(x.shape[axis + 1 :])
    run, pitch = y.shape[axis] * inner, x.shape[axis] * inner
    outer = math.prod(x.shape[:axis])
    return move_calls(x, y, Move((Loop(outer, pitch, run),), run, source, 0))


def _is_image(axis: int, x: Tensor) -> bool:
    return len(x.shape) == 4 and axis >= 2 and x.shape[1] > 1


def _row_params(x: Tensor, y: Tensor, axis: int) -> MoveRowsParams:
    pieces = x.shape[2] if axis == 3 else 1
    run, pitch = row_size(y) // pieces, row_size(x) // pieces
    return MoveRowsParams(
        first_row=0, row_step=1, pieces=pieces, run=run, input_pitch=pitch, output_pitch=run,
        input_row=row_size(x), output_row=row_size(y), output_begin=0, output_end=y.shape[1],
        input_ring=x.shape[1], output_ring=y.shape[1],
    )  # fmt: skip


def _rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    return (out if _is_image(attributes(node, Split).axis, node.input(0)) else None,)


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    split = attributes(node, Split)
    begin = sum(split.sizes[:output])
    own = Span(begin + box[split.axis].begin, begin + box[split.axis].end)
    cut = (*box[: split.axis], own, *box[split.axis + 1 :])
    return boxed(node, box, [(0, cut)], Copy(), output)


_SUPPORTS = ("every element type; any number of outputs and dimensions",)

SPLIT = OpKind(
    type="SPLIT",
    attributes=Split,
    summary="Equal parts along a dimension.",
    supports=_SUPPORTS,
    tflite={"SPLIT": _split},
    infer=_infer,
    check=same_types,
    reference=_reference,
    lower=_lower,
    kernels=(MOVE_ROWS, *MOVE_KERNELS),
    rows=_rows,
    box=_box,
)
SPLIT_V = OpKind(
    type="SPLIT_V",
    attributes=SplitV,
    summary="Parts of given sizes along a dimension.",
    supports=_SUPPORTS,
    tflite={"SPLIT_V": _split_v},
    infer=_infer,
    check=same_types,
    reference=_reference,
    lower=_lower,
    kernels=SPLIT.kernels,
    rows=_rows,
    box=_box,
)


# --- UNPACK -------------------------------------------------------------------------------------


def _infer_unpack(unpack: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert isinstance(unpack, Unpack) and x is not None
    return ((*x.shape[: unpack.axis], *x.shape[unpack.axis + 1 :]),) * unpack.count


def _reference_unpack(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    unpack, (x,) = attributes(node, Unpack), values
    assert x is not None
    return tuple(x.take(i, unpack.axis) for i in range(unpack.count))


def _lower_unpack(node: Node, options: LowerOptions) -> Lowered:
    unpack, x = attributes(node, Unpack), node.input(0)
    calls: list[Call] = []
    run = x.dtype.size * math.prod(x.shape[unpack.axis + 1 :])
    loops = (Loop(math.prod(x.shape[: unpack.axis]), unpack.count * run, run),)
    for number, y in enumerate(node.outputs):
        calls.extend(move_calls(x, y, Move(loops, run, number * run)))
    return Lowered(tuple(calls))


def _box_unpack(node: Node, output: int, box: Box) -> Boxed | None:
    axis = attributes(node, Unpack).axis
    cut = (*box[:axis], Span(output, output + 1), *box[axis:])
    return boxed(node, box, [(0, cut)], Unpack(axis, 1), output)


UNPACK = OpKind(
    type="UNPACK",
    attributes=Unpack,
    summary="The slices of a tensor along a dimension, without that dimension.",
    supports=_SUPPORTS,
    tflite={"UNPACK": _unpack},
    infer=_infer_unpack,
    check=same_types,
    reference=_reference_unpack,
    lower=_lower_unpack,
    kernels=MOVE_KERNELS,
    box=_box_unpack,
)
