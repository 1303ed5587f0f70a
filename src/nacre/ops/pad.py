"""PAD, PADV2: a border of one value; MIRROR_PAD: a border that mirrors the inside."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, Node, Shape, Tensor
from nacre.ops.boxes import box_shape, boxed, reshaped
from nacre.ops.fill import FILL_BYTES, fill_call, value_words
from nacre.ops.kind import (
    Box,
    Boxed,
    Call,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Refuse,
    SourceNode,
    Span,
    attributes,
    meaning,
    meanings,
    read,
    write,
)
from nacre.ops.moves import (
    MOVE_KERNELS,
    Loop,
    Move,
    move_calls,
    same_types,
    stored_zero,
    strides,
)
from nacre.ops.resize import NEAREST, ResizeNearest, box_of_places, lower_places


@dataclass(frozen=True)
class Pad(Attributes):
    """Elements of `value` before and after each dimension; the value is a stored one."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    value: float = 0


@dataclass(frozen=True)
class PadV2(Pad):
    """The same with a value of the file's choice."""


@dataclass(frozen=True)
class MirrorPad(Attributes):
    """`edge` 0: the edge itself is repeated (symmetric); 1: it is not (reflect)."""

    before: tuple[int, ...] = ()
    after: tuple[int, ...] = ()
    edge: int = 1


@dataclass(frozen=True)
class PadParams(Params):
    c_type: ClassVar[str] = "nacre_pad_params_t"
    input_h: int = meaning("input rows")
    pad_top: int = meaning("rows of padding above")
    lead: int = meaning("bytes of padding that begin a row")
    pieces: int = meaning("pieces per row")
    before: int = meaning("bytes of padding before a piece")
    run: int = meaning("bytes of a piece")
    after: int = meaning("bytes of padding after a piece")
    trail: int = meaning("bytes of padding that end a row")
    output_row: int = meaning("bytes of an output row")
    element: int = meaning("bytes of an element")
    value: tuple[int, ...] = meanings("bits of the padding, low word first")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


PAD_ROWS = Kernel("nacre_pad", PadParams)


# --- import -------------------------------------------------------------------------------------


def _borders(source: SourceNode) -> tuple[tuple[int, ...], tuple[int, ...]]:
    rank = len(source.input(0).shape)
    table = source.constant(1, "the padding")
    if table.shape != (rank, 2):
        raise Refuse(f"padding is {list(table.shape)}; supported: [{rank}, 2]")
    if (table < 0).any():
        raise Refuse(f"padding has {int(table.min())}; supported: 0 or more")
    return tuple(int(b) for b in table[:, 0]), tuple(int(a) for a in table[:, 1])


def _pad(source: SourceNode) -> Imported:
    return Imported(Pad(*_borders(source), stored_zero(source.outputs[0])), inputs=(0,))


def _pad_v2(source: SourceNode) -> Imported:
    if source.optional(2) is None:
        return Imported(PadV2(*_borders(source), stored_zero(source.outputs[0])), inputs=(0,))
    value = source.constant(2, "the value of the padding").reshape(-1)
    if value.size != 1 or source.input(2).dtype is not source.input(0).dtype:
        kind = source.input(2).dtype.value
        raise Refuse(f"{value.size} {kind} values of padding; supported: one of the input's type")
    return Imported(PadV2(*_borders(source), value[0].item()), inputs=(0,))


def _mirror_pad(source: SourceNode) -> Imported:
    mode = source.options.integer("mode")
    if mode not in (0, 1):
        raise Refuse(f"mode is {mode}; supported: 0 (REFLECT), 1 (SYMMETRIC)")
    edge = 1 - mode
    before, after = _borders(source)
    for size, border in zip(source.input(0).shape, zip(before, after, strict=True), strict=True):
        if max(border) > size - edge:
            raise Refuse(f"mirrors {max(border)} of {size}; supported: up to {size - edge}")
    return Imported(MirrorPad(before, after, edge), inputs=(0,))


# --- PAD ----------------------------------------------------------------------------------------


def _infer(pad: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert isinstance(pad, Pad | MirrorPad) and x is not None
    sides = zip(x.shape, pad.before, pad.after, strict=True)
    return (tuple(n + before + after for n, before, after in sides),)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    pad, (x,) = attributes(node, Pad), values
    assert x is not None
    y = np.full(node.output.shape, pad.value, x.dtype)
    y[_inside(pad, x.shape)] = x
    return (y,)


def _inside(pad: Pad | MirrorPad, shape: Shape) -> tuple[slice, ...]:
    return tuple(slice(b, b + n) for b, n in zip(pad.before, shape, strict=True))


def _lower(node: Node, options: LowerOptions) -> Lowered:
    pad, x, y = attributes(node, Pad), node.input(0), node.output
    borders = tuple(zip(x.shape, pad.before, pad.after, strict=True))
    if len(borders) != 4 or any(borders[0][1:]):
        borders = _collapse(borders)
    borders = ((1, 0, 0),) * (4 - len(borders)) + borders
    if y.elements == 0:
        return Lowered(())
    if len(borders) > 4 or any(borders[0][1:]):
        return Lowered((*fill_call(y, pad.value), *move_calls(x, y, _inside_move(pad, x, y))))
    return Lowered(_image_pads(x, y, borders, pad.value))


Borders = tuple[tuple[int, int, int], ...]


def _collapse(borders: Borders) -> Borders:
    """Size, before, after with as few dimensions as possible: unpadded ones join their outer."""
    merged: list[tuple[int, int, int]] = []
    for size, before, after in borders:
        if merged and not before and not after:
            outer = merged.pop()
            merged.append((outer[0] * size, outer[1] * size, outer[2] * size))
        else:
            merged.append((size, before, after))
    return tuple(merged)


def _image_pads(x: Tensor, y: Tensor, borders: Borders, value: float) -> tuple[Call, ...]:
    images, (input_h, top, bottom) = borders[0][0], borders[1]
    params = _params(x, y, borders, value)
    span = Span(0, input_h + top + bottom)
    return tuple(
        Call(PAD_ROWS, (read(x, n * (x.size // images)), write(y, n * (y.size // images)),
                        params, span))
        for n in range(images)
    )  # fmt: skip


def _params(x: Tensor, y: Tensor, borders: Borders, value: float) -> PadParams:
    (input_h, top, bottom), (w, left, right), (c, front, back) = borders[1:]
    element = x.dtype.size
    pixel = (c + front + back) * element
    whole = not front and not back
    output_h = input_h + top + bottom
    return PadParams(
        input_h=input_h, pad_top=top, lead=left * pixel, pieces=1 if whole else w,
        before=front * element, run=(w * c if whole else c) * element, after=back * element,
        trail=right * pixel, output_row=(w + left + right) * pixel, element=element,
        value=value_words(value, x.dtype), input_ring=max(1, input_h), output_ring=output_h,
    )  # fmt: skip


def _inside_move(pad: Pad | MirrorPad, x: Tensor, y: Tensor) -> Move:
    """The input to its place inside the output."""
    element = x.dtype.size
    source, target = strides(x.shape, element), strides(y.shape, element)
    loops = tuple(Loop(n, s, t) for n, s, t in zip(x.shape, source, target, strict=True))
    return Move(loops, element, 0, sum(b * t for b, t in zip(pad.before, target, strict=True)))


def _rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    pad, shape = attributes(node, Pad), node.input(0).shape
    if len(shape) != 4 or pad.before[0] or pad.after[0]:
        return (None,)
    top, height = pad.before[1], shape[1]
    begin = min(height, max(0, out.begin - top))
    return (Span(begin, max(begin, min(height, out.end - top))),)


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    """What of the box is inside the input, and the padding that is left on both sides."""
    pad, cuts, before, after = attributes(node, Pad), [], [], []
    for span, size, border in zip(box, node.input(0).shape, pad.before, strict=True):
        begin = min(size, max(0, span.begin - border))
        inside = Span(begin, max(begin, min(size, span.end - border)))
        cuts.append(inside)
        before.append(min(span.size, max(0, border - span.begin)))
        after.append(span.size - before[-1] - inside.size)
    small = replace(pad, before=tuple(before), after=tuple(after))
    return boxed(node, box, [(0, tuple(cuts))], small)


_SUPPORTS = ("every element type of 1, 2, 4 or 8 bytes; any number of dimensions",)

PAD = OpKind(
    type="PAD",
    attributes=Pad,
    summary="A border of zeros (of the zero point for quantized tensors).",
    supports=_SUPPORTS,
    tflite={"PAD": _pad},
    infer=_infer,
    check=same_types,
    reference=_reference,
    lower=_lower,
    kernels=(PAD_ROWS, FILL_BYTES, *MOVE_KERNELS),
    rows=_rows,
    box=_box,
)
PADV2 = OpKind(
    type="PADV2",
    attributes=PadV2,
    summary="A border of a constant value.",
    supports=_SUPPORTS,
    tflite={"PADV2": _pad_v2},
    infer=_infer,
    check=same_types,
    reference=_reference,
    lower=_lower,
    kernels=PAD.kernels,
    rows=_rows,
    box=_box,
)


# --- MIRROR_PAD ---------------------------------------------------------------------------------


def _mirror_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    pad, (x,) = attributes(node, MirrorPad), values
    assert x is not None
    width = tuple(zip(pad.before, pad.after, strict=True))
    return (np.pad(x, width, mode="reflect" if pad.edge else "symmetric"),)


def _mirror_lower(node: Node, options: LowerOptions) -> Lowered:
    """The inside first, then each dimension mirrors what is there, innermost first."""
    pad, x, y = attributes(node, MirrorPad), node.input(0), node.output
    if _is_image(node):
        return lower_places(node, *(_places(node, axis) for axis in (1, 2)))
    calls = list(move_calls(x, y, _inside_move(pad, x, y)))
    for axis in reversed(range(len(x.shape))):
        for move in _mirrors(pad, x, y, axis):
            calls.extend(move_calls(y, y, move))
    return Lowered(tuple(calls))


def _is_image(node: Node) -> bool:
    """Rows and columns of images are mirrored, so that pixels go by tables of places."""
    pad, x, y = attributes(node, MirrorPad), node.input(0).shape, node.output.shape
    sides = pad.before + pad.after
    return len(x) == 4 and not any(sides[d] for d in (0, 3, 4, 7)) and 0 < max(y[1:3]) <= 32767


def _places(node: Node, axis: int) -> Array:
    """The input row (or column) that each output row reads."""
    pad, size = attributes(node, MirrorPad), node.input(0).shape[axis]
    border = (pad.before[axis], pad.after[axis])
    return np.pad(np.arange(size), border, mode="reflect" if pad.edge else "symmetric")


def _mirror_rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    if not _is_image(node):
        return (None,)
    places = _places(node, 1)[out.begin : out.end]
    return (Span(int(places.min()), int(places.max()) + 1),)


def _mirror_box(node: Node, output: int, box: Box) -> Boxed | None:
    if _is_image(node):
        return box_of_places(node, box, _places(node, 1), _places(node, 2))
    # One dimension is mirrored: the columns of an image that has the others around them.
    pad = attributes(node, MirrorPad)
    axes = [d for d in range(len(box)) if pad.before[d] or pad.after[d]]
    if len(axes) != 1:
        return None
    return _line_box(node, box, axes[0])


def _line_box(node: Node, box: Box, axis: int) -> Boxed:
    places = _places(node, axis)[box[axis].begin : box[axis].end]
    first, last = int(places.min()), int(places.max())
    columns = tuple((p - first, p - first, 0.0) for p in places.tolist())
    small = ResizeNearest(1, len(columns), rows=((0, 0, 0.0),), columns=columns)
    cut = (*box[:axis], Span(first, last + 1), *box[axis + 1 :])
    found = boxed(node, box, [(0, cut)], small)
    return reshaped(found, *(_as_columns(box_shape(b), axis) for b in (cut, box)))


def _as_columns(shape: Shape, axis: int) -> Shape:
    return math.prod(shape[:axis]), 1, shape[axis], math.prod(shape[axis + 1 :])


def _mirrors(pad: MirrorPad, x: Tensor, y: Tensor, axis: int) -> Sequence[Move]:
    """Both borders of one dimension: outer dimensions inside only, inner ones complete."""
    steps = strides(y.shape, y.dtype.size)
    outer = tuple(Loop(x.shape[d], steps[d], steps[d]) for d in range(axis))
    base = sum(pad.before[d] * steps[d] for d in range(axis))
    step, before, size = steps[axis], pad.before[axis], x.shape[axis]
    run = y.dtype.size * math.prod(y.shape[axis + 1 :])

    def move(count: int, source: int, target: int) -> Move:
        loops = (*outer, Loop(count, -step, step))
        return Move(loops, run, base + source * step, base + target * step)

    end = before + size
    return (
        move(before, 2 * before - 1 + pad.edge, 0),
        move(pad.after[axis], end - 1 - pad.edge, end),
    )


MIRROR_PAD = OpKind(
    type="MIRROR_PAD",
    attributes=MirrorPad,
    summary="A border that mirrors the inside, with the edge (SYMMETRIC) or without (REFLECT).",
    supports=("every element type; any number of dimensions",),
    tflite={"MIRROR_PAD": _mirror_pad},
    infer=_infer,
    check=same_types,
    reference=_mirror_reference,
    lower=_mirror_lower,
    kernels=(NEAREST, *MOVE_KERNELS),
    rows=_mirror_rows,
    box=_mirror_box,
)
