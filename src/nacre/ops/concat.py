"""CONCATENATION, PACK: tensors one after another along a dimension, old or new."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor, TensorKind
from nacre.ops.boxes import Cut, boxed
from nacre.ops.kind import (
    Box,
    Boxed,
    Call,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Refuse,
    SourceNode,
    Span,
    attributes,
    derived_id,
    read,
)
from nacre.ops.moves import (
    MOVE_KERNELS,
    MOVE_ROWS,
    Loop,
    Move,
    MoveRowsParams,
    all_same_types,
    axis_of,
    image_calls,
    move_calls,
    row_size,
)
from nacre.ops.window import tflite_activation

LOOKUP_ROWS = Kernel("nacre_lookup_rows", MoveRowsParams)


@dataclass(frozen=True)
class Concat(Attributes):
    """Joins along `axis`; 8-bit inputs of another scale take the output's."""

    axis: int = 0


@dataclass(frozen=True)
class Pack(Attributes):
    """Stacks along a new dimension, `axis` of the output."""

    axis: int = 0


# --- import -------------------------------------------------------------------------------------


def _concatenation(source: SourceNode) -> Imported:
    activation = tflite_activation(source.options)
    if activation != "NONE":
        raise Refuse(f"fused activation {activation}; supported: NONE")
    shapes = [source.input(i).shape for i in range(len(source.inputs))]
    if not shapes:
        raise Refuse("it has no inputs; supported: 1 or more")
    axis = axis_of(source.options.integer("axis"), len(shapes[0]))
    for shape in shapes:
        if shape[:axis] + shape[axis + 1 :] != shapes[0][:axis] + shapes[0][axis + 1 :]:
            raise Refuse(f"joins {list(shapes[0])} and {list(shape)} along dimension {axis}")
    return Imported(Concat(axis), tuple(range(len(shapes))))


def _pack(source: SourceNode) -> Imported:
    shapes = [source.input(i).shape for i in range(len(source.inputs))]
    if not shapes or len(set(shapes)) > 1:
        raise Refuse(f"stacks {[list(s) for s in shapes]}; supported: equal shapes")
    count = source.options.integer("values_count")
    if count != len(shapes):
        raise Refuse(f"values_count is {count} with {len(shapes)} inputs; expected as many")
    axis = axis_of(source.options.integer("axis"), len(shapes[0]) + 1)
    return Imported(Pack(axis), tuple(range(len(shapes))))


# --- CONCATENATION ------------------------------------------------------------------------------


def _infer(concat: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert isinstance(concat, Concat)
    shapes = [t.shape for t in inputs if t is not None]
    axis = concat.axis
    return ((*shapes[0][:axis], sum(s[axis] for s in shapes), *shapes[0][axis + 1 :]),)


def _check(node: Node) -> str | None:
    tensors = [*(t for t in node.inputs if t is not None), node.output]
    eight_bits = node.output.dtype in (DType.INT8, DType.UINT8)
    if eight_bits and len({t.quantization is None for t in tensors}) > 1:
        return "some of its tensors have a scale and some have none; supported: all or none"
    return all_same_types(node)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    parts = []
    for tensor, value in zip(node.inputs, values, strict=True):
        assert tensor is not None and value is not None
        table = _rescaling(tensor, node.output)
        parts.append(value if table is None else table[value.view(np.uint8)].view(value.dtype))
    return (np.concatenate(parts, attributes(node, Concat).axis),)


def _rescaling(x: Tensor, y: Tensor) -> Array | None:
    """What each stored byte of x is in y's quantization; None when it is the same byte.

    Float32 arithmetic, ties away from zero, as LiteRT's uint8 kernel.
    """
    if x.dtype not in (DType.INT8, DType.UINT8) or x.quantization is None or y.quantization is None:
        return None
    if (x.q.scale, x.q.zero_point) == (y.q.scale, y.q.zero_point):
        return None
    scale = np.float32(x.q.scale) * (np.float32(1) / np.float32(y.q.scale))
    bias = np.float32(-x.q.zero_point) * scale
    real = np.arange(256).astype(np.uint8).view(x.dtype.numpy).astype(np.float32) * scale + bias
    rounded = np.trunc(real + np.copysign(np.float32(0.5), real)).astype(np.int64)
    stored: Array = np.clip(rounded + y.q.zero_point, *x.dtype.range).astype(x.dtype.numpy)
    return stored.view(np.uint8)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    axis, y = attributes(node, Concat).axis, node.output
    inner = y.dtype.size * math.prod(y.shape[axis + 1 :])
    calls: list[Call] = []
    tables: list[Tensor] = []
    target = 0
    for x in (t for t in node.inputs if t is not None and t.elements):
        data = _rescaling(x, y)
        if data is not None:
            tables.append(_table(node, data, len(tables)))
            calls.extend(_look_up(x, tables[-1], y, axis, target))
        else:
            calls.extend(_join(x, y, axis, target))
        target += x.shape[axis] * inner
    return Lowered(tuple(calls), tuple(tables))


def _join(x: Tensor, y: Tensor, axis: int, target: int) -> tuple[Call, ...]:
    """Move one input to its place, row by row where that allows tiling."""
    if _is_image(axis, y):
        return _row_moves(x, y, axis, target)
    inner = y.dtype.size * math.prod(y.shape[axis + 1 :])
    run, pitch = x.shape[axis] * inner, y.shape[axis] * inner
    outer = math.prod(y.shape[:axis])
    return move_calls(x, y, Move((Loop(outer, run, pitch),), run, 0, target))


def _is_image(axis: int, y: Tensor) -> bool:
    """Output rows can be made one after another."""
    return len(y.shape) == 4 and y.shape[1] > 1 and (axis >= 2 or (axis == 1 and y.shape[0] == 1))


def _row_moves(x: Tensor, y: Tensor, axis: int, target: int) -> tuple[Call, ...]:
    """One input to its place, `target` bytes into the output: rows below or side by side."""
    if axis == 1:
        return image_calls(x, y, 0, 0, _row_params(x, y, axis, target // row_size(y)))
    return image_calls(x, y, 0, target, _row_params(x, y, axis, 0))


def _row_params(x: Tensor, y: Tensor, axis: int, first: int) -> MoveRowsParams:
    """Rows of an image: whole ones, the first at `first`, or pixels with further channels."""
    pieces = x.shape[2] if axis == 3 else 1
    run, pitch = row_size(x) // pieces, row_size(y) // pieces
    return MoveRowsParams(
        first_row=-first, row_step=1, pieces=pieces, run=run, input_pitch=run, output_pitch=pitch,
        input_row=row_size(x), output_row=row_size(y),
        output_begin=first, output_end=first + x.shape[1],
        input_ring=x.shape[1], output_ring=y.shape[1],
    )  # fmt: skip


def _look_up(x: Tensor, table: Tensor, y: Tensor, axis: int, target: int) -> tuple[Call, ...]:
    if not _is_image(axis, y):
        x, y, axis = _as_rows(x, axis), _as_rows(y, axis), 3
    moves = _row_moves(x, y, axis, target)
    return tuple(Call(LOOKUP_ROWS, (m.arguments[0], read(table), *m.arguments[1:])) for m in moves)


def _as_rows(tensor: Tensor, axis: int) -> Tensor:
    """The same bytes as one image: a row per index before the axis."""
    outer = math.prod(tensor.shape[:axis])
    return replace(tensor, shape=(1, outer, 1, tensor.elements // outer))


def _table(node: Node, data: Array, number: int) -> Tensor:
    key = derived_id(node, f"rescaling{number}")
    name = f"{node.output.name} rescaling {number}"
    return Tensor(key, name, data.shape, DType.UINT8, TensorKind.CONSTANT, data=data)


def _rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    axis, begin = attributes(node, Concat).axis, 0
    if not _is_image(axis, node.output):
        return (None,) * len(node.inputs)
    if axis != 1:
        return (out,) * len(node.inputs)
    needs = []
    for rows in (node.input(position).shape[1] for position in range(len(node.inputs))):
        first = min(rows, max(0, out.begin - begin))
        needs.append(Span(first, max(first, min(rows, out.end - begin))))
        begin += rows
    return tuple(needs)


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    """The inputs that reach into the box."""
    axis, begin = attributes(node, Concat).axis, 0
    cuts: list[Cut] = []
    for position in range(len(node.inputs)):
        end = begin + node.input(position).shape[axis]
        own = Span(max(begin, box[axis].begin) - begin, min(end, box[axis].end) - begin)
        if own.begin < own.end:
            cuts.append((position, (*box[:axis], own, *box[axis + 1 :])))
        begin = end
    return boxed(node, box, cuts)


CONCATENATION = OpKind(
    type="CONCATENATION",
    attributes=Concat,
    summary="Tensors one after another along a dimension.",
    supports=(
        "every element type; any number of inputs and dimensions",
        "int8 and uint8 inputs of another scale than the output's are rescaled",
    ),
    tflite={"CONCATENATION": _concatenation},
    infer=_infer,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(MOVE_ROWS, LOOKUP_ROWS, *MOVE_KERNELS),
    rows=_rows,
    box=_box,
)


# --- PACK ---------------------------------------------------------------------------------------


def _infer_pack(pack: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x = inputs[0]
    assert isinstance(pack, Pack) and x is not None
    return ((*x.shape[: pack.axis], len(inputs), *x.shape[pack.axis :]),)


def _reference_pack(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    parts = [value for value in values if value is not None]
    return (np.stack(parts, attributes(node, Pack).axis),)


def _lower_pack(node: Node, options: LowerOptions) -> Lowered:
    axis, y = attributes(node, Pack).axis, node.output
    calls: list[Call] = []
    run = y.dtype.size * math.prod(y.shape[axis + 1 :])
    loops = (Loop(math.prod(y.shape[:axis]), run, len(node.inputs) * run),)
    for number in range(len(node.inputs)):
        calls.extend(move_calls(node.input(number), y, Move(loops, run, 0, number * run)))
    return Lowered(tuple(calls))


def _box_pack(node: Node, output: int, box: Box) -> Boxed | None:
    axis = attributes(node, Pack).axis
    piece = (*box[:axis], *box[axis + 1 :])
    return boxed(node, box, [(n, piece) for n in range(box[axis].begin, box[axis].end)])


PACK = OpKind(
    type="PACK",
    attributes=Pack,
    summary="Tensors of one shape stacked along a new dimension.",
    supports=("every element type; any number of inputs and dimensions",),
    tflite={"PACK": _pack},
    infer=_infer_pack,
    check=all_same_types,
    reference=_reference_pack,
    lower=_lower_pack,
    kernels=MOVE_KERNELS,
    box=_box_pack,
)
