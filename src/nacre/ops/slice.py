"""STRIDED_SLICE, SLICE: a box of the input, every step-th element of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from nacre.ir import Array, Attributes, Node, Shape, Tensor
from nacre.ops.boxes import box_shape, boxed
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
    MOVE_ROWS,
    Loop,
    Move,
    MoveRowsParams,
    image_calls,
    move_calls,
    row_size,
    same_types,
    strides,
)


@dataclass(frozen=True)
class Slice(Attributes):
    """y[i] = x[begin + i * step], `size` elements per dimension of x, under the shape `shape`."""

    begin: tuple[int, ...] = ()
    size: tuple[int, ...] = ()
    step: tuple[int, ...] = ()
    shape: Shape = ()


@dataclass(frozen=True)
class StridedSlice(Slice):
    """The same from begin, end, strides and masks."""


# --- import -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Masks:
    """One bit per entry of begin, end, strides."""

    begin: int
    end: int
    ellipsis: int
    new_axis: int
    shrink: int
    offset: bool


@dataclass(frozen=True)
class _Range:
    """One dimension of the input: `size` elements from `begin`, `step` apart; kept or dropped."""

    begin: int
    size: int
    step: int
    kept: bool = True


def _strided_slice(source: SourceNode) -> Imported:
    x, options = source.input(0), source.options
    begin, end, step = (
        [int(v) for v in source.constant(i, what)]
        for i, what in ((1, "begin"), (2, "end"), (3, "strides"))
    )
    if not len(begin) == len(end) == len(step):
        raise Refuse(f"begin, end, strides have {len(begin)}, {len(end)}, {len(step)} entries")
    masks = _Masks(
        options.integer("begin_mask"), options.integer("end_mask"),
        options.integer("ellipsis_mask"), options.integer("new_axis_mask"),
        options.integer("shrink_axis_mask"), options.flag("offset"),
    )  # fmt: skip
    found = list(_ranges(x.shape, begin, end, step, masks))
    ranges = [r for r in found if r is not None]
    return Imported(
        StridedSlice(
            tuple(r.begin for r in ranges), tuple(r.size for r in ranges),
            tuple(r.step for r in ranges),
            tuple(1 if r is None else r.size for r in found if r is None or r.kept),
        ),
        inputs=(0,),
    )  # fmt: skip


def _ranges(
    shape: Shape, begin: list[int], end: list[int], step: list[int], masks: _Masks
) -> Iterator[_Range | None]:
    """The range of each dimension of the input in order; None where a new one comes between."""
    entries, axis = len(step), 0
    named = sum(not (masks.new_axis | masks.ellipsis) >> i & 1 for i in range(entries))
    if named > len(shape):
        raise Refuse(f"{named} dimensions are sliced of an input that has {len(shape)}")
    for i in range(entries):
        if masks.ellipsis >> i & 1:
            for _ in range(len(shape) - named):
                yield _Range(0, shape[axis], 1)
                axis += 1
            named = len(shape)
        elif masks.new_axis >> i & 1:
            yield None
        else:
            yield _range(shape[axis], begin[i], end[i], step[i], i, masks)
            axis += 1
    for size in shape[axis:]:
        yield _Range(0, size, 1)


def _range(size: int, begin: int, end: int, step: int, entry: int, masks: _Masks) -> _Range:
    if step == 0:
        raise Refuse(f"strides[{entry}] is 0; supported: any other")
    low, high = (0, size) if step > 0 else (-1, size - 1)
    first, last = (low, high) if step > 0 else (high, low)
    start = first if masks.begin >> entry & 1 else _clamp(begin, size, low, high)
    if masks.shrink >> entry & 1:
        if not 0 <= start < size:
            raise Refuse(f"begin[{entry}] is {begin} for a dimension of {size}")
        return _Range(start, 1, 1, kept=False)
    stop = end + start if masks.offset else end
    stop = last if masks.end >> entry & 1 else _clamp(stop, size, low, high)
    count = max(0, -(-(stop - start) // step))
    return _Range(start, count, step)


def _clamp(index: int, size: int, low: int, high: int) -> int:
    return max(low, min(high, index + size if index < 0 else index))


def _slice(source: SourceNode) -> Imported:
    shape = source.input(0).shape
    begin = [int(b) for b in source.constant(1, "begin")]
    wanted = [int(s) for s in source.constant(2, "size")]
    if not len(begin) == len(wanted) == len(shape):
        raise Refuse(f"{len(begin)} begins, {len(wanted)} sizes for {len(shape)} dimensions")
    size = tuple(n - b if s == -1 else s for n, b, s in zip(shape, begin, wanted, strict=True))
    for n, b, s in zip(shape, begin, size, strict=True):
        if not (0 <= b <= n and 0 <= s <= n - b):
            raise Refuse(f"{s} elements from {b} of a dimension of {n}")
    return Imported(Slice(tuple(begin), size, (1,) * len(shape), size), inputs=(0,))


# --- the rest -----------------------------------------------------------------------------------


def _infer(box: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    assert isinstance(box, Slice)
    return (box.shape,)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    box, (x,) = attributes(node, Slice), values
    assert x is not None
    for axis, (b, n, s) in enumerate(zip(box.begin, box.size, box.step, strict=True)):
        x = x.take([b + i * s for i in range(n)], axis)
    return (x.reshape(box.shape),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    box, x, y = attributes(node, Slice), node.input(0), node.output
    if y.elements == 0:
        return Lowered(())
    if _is_image(box, x):
        return Lowered(image_calls(x, y, _image_offset(box, x), 0, _row_params(box, x, y)))
    element = x.dtype.size
    source, target = strides(x.shape, element), strides(box.size, element)
    loops = tuple(
        Loop(n, k * s, t) for n, k, s, t in zip(box.size, box.step, source, target, strict=True)
    )
    offset = sum(b * s for b, s in zip(box.begin, source, strict=True))
    return Lowered(move_calls(x, y, Move(loops, element, offset)))


def _is_image(box: Slice, x: Tensor) -> bool:
    """Rows of images go down, in runs of channels, so the kernel that may be tiled serves."""
    return (
        box.shape == box.size
        and len(box.shape) == 4
        and box.size[1] > 1
        and box.size[0] == x.shape[0]
        and box.step[0] == box.step[3] == 1
        and box.step[1] > 0
    )


def _image_offset(box: Slice, x: Tensor) -> int:
    return (box.begin[2] * x.shape[3] + box.begin[3]) * x.dtype.size


def _row_params(box: Slice, x: Tensor, y: Tensor) -> MoveRowsParams:
    pixel, run = x.shape[3] * x.dtype.size, box.size[3] * x.dtype.size
    whole = run == pixel and box.step[2] == 1
    return MoveRowsParams(
        first_row=box.begin[1], row_step=box.step[1], pieces=1 if whole else box.size[2],
        run=row_size(y) if whole else run, input_pitch=box.step[2] * pixel, output_pitch=run,
        input_row=row_size(x), output_row=row_size(y), output_begin=0, output_end=y.shape[1],
        input_ring=x.shape[1], output_ring=y.shape[1],
    )  # fmt: skip


def _rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    box = attributes(node, Slice)
    if not _is_image(box, node.input(0)):
        return (None,)
    first, last = (box.begin[1] + r * box.step[1] for r in (out.begin, out.end - 1))
    return (Span(first, last + 1),)


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    """Dimensions of one element may come and go between `size` and `shape`."""
    cut = attributes(node, Slice)
    spans = [s for s, n in zip(box, cut.shape, strict=True) if n != 1]
    if [n for n in cut.size if n != 1] != [n for n in cut.shape if n != 1]:
        return None
    inside = [Span(0, 1) if n == 1 else spans.pop(0) for n in cut.size]
    reads = [_read(b, k, s) for b, k, s in zip(cut.begin, cut.step, inside, strict=True)]
    begin = tuple(0 if k > 0 else r.size - 1 for k, r in zip(cut.step, reads, strict=True))
    size = tuple(s.size for s in inside)
    small = replace(cut, begin=begin, size=size, shape=box_shape(box))
    return boxed(node, box, [(0, tuple(reads))], small)


def _read(begin: int, step: int, out: Span) -> Span:
    """From the first to the last element that outputs of one dimension read."""
    ends = sorted((begin + out.begin * step, begin + (out.end - 1) * step))
    return Span(ends[0], ends[1] + 1)


STRIDED_SLICE = OpKind(
    type="STRIDED_SLICE",
    attributes=StridedSlice,
    summary="Every step-th element of a box, forwards or backwards.",
    supports=(
        "every element type; any number of dimensions",
        "constant begin, end and strides, all masks",
    ),
    tflite={"STRIDED_SLICE": _strided_slice},
    infer=_infer,
    check=same_types,
    reference=_reference,
    lower=_lower,
    kernels=(MOVE_ROWS, *MOVE_KERNELS),
    rows=_rows,
    box=_box,
)
SLICE = OpKind(
    type="SLICE",
    attributes=Slice,
    summary="A box of the input.",
    supports=(
        "every element type; any number of dimensions",
        "constant begin and size",
    ),
    tflite={"SLICE": _slice},
    infer=_infer,
    check=same_types,
    reference=_reference,
    lower=_lower,
    kernels=(MOVE_ROWS, *MOVE_KERNELS),
    rows=_rows,
    box=_box,
)
