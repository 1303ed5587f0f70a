"""RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR: images of another size.

Where each output row and column reads is computed here, in the arithmetic of the source runtime,
and becomes a constant table: the kernels neither divide nor round positions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor, TensorKind
from nacre.ops.boxes import boxed
from nacre.ops.kind import (
    Box,
    Boxed,
    Call,
    Cost,
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Pointer,
    Refuse,
    SourceNode,
    Span,
    attributes,
    derived_id,
    meaning,
    read,
)

# Types whose pixels are weighted in float arithmetic; the others use integers.
IN_FLOATS = (DType.FLOAT32, DType.UINT8)
# Fraction bits of a position between two pixels.
POSITION_BITS = 10
ONE = 1 << POSITION_BITS
LARGEST_SIDE = 32767


# The two pixels that an output lies between, and how far towards the second.
Place: TypeAlias = tuple[int, int, float]


@dataclass(frozen=True)
class Resize(Attributes):
    """`align_corners`: corner pixels keep their place. `half_pixel_centers`: pixels have area."""

    height: int = 1
    width: int = 1
    align_corners: bool = False
    half_pixel_centers: bool = False
    # Where the output's rows and columns lie in the input, in place of the rules above.
    rows: tuple[Place, ...] = ()
    columns: tuple[Place, ...] = ()


@dataclass(frozen=True)
class ResizeBilinear(Resize):
    """Weighted mean of the four nearest pixels."""


@dataclass(frozen=True)
class ResizeNearest(Resize):
    """The nearest pixel."""


@dataclass(frozen=True)
class BilinearParams(Params):
    c_type: ClassVar[str] = "nacre_resize_bilinear_params_t"
    input_w: int = meaning("input columns")
    output_h: int = meaning("output rows")
    output_w: int = meaning("output columns")
    channels: int = meaning("channels")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


@dataclass(frozen=True)
class NearestParams(Params):
    c_type: ClassVar[str] = "nacre_resize_nearest_params_t"
    input_w: int = meaning("input columns")
    output_w: int = meaning("output columns")
    pixel: int = meaning("bytes of a pixel")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


BILINEAR_KERNELS = {
    DType.INT8: Kernel("nacre_resize_bilinear_s8", BilinearParams),
    DType.UINT8: Kernel("nacre_resize_bilinear_u8", BilinearParams),
    DType.INT16: Kernel("nacre_resize_bilinear_s16", BilinearParams),
    DType.FLOAT32: Kernel("nacre_resize_bilinear_f32", BilinearParams),
}
NEAREST = Kernel("nacre_resize_nearest", NearestParams)
NEAREST_TYPES = (DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.FLOAT32)


def _from_tflite(kind: type[Resize]) -> Callable[[SourceNode], Imported]:
    def rule(source: SourceNode) -> Imported:
        size = source.constant(1, "the size of the output")
        if size.size != 2:
            raise Refuse(f"the size of the output has {size.size} values; expected 2")
        height, width = (int(v) for v in size.reshape(-1))
        options = source.options
        resize = kind(
            height, width, options.flag("align_corners"), options.flag("half_pixel_centers")
        )
        return Imported(resize, inputs=(0,))

    return rule


def _infer(resize: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x = inputs[0]
    assert isinstance(resize, Resize) and x is not None
    return ((x.shape[0], resize.height, resize.width, x.shape[3]),)


def _check(node: Node) -> str | None:
    x, y, resize = node.input(0), node.output, attributes(node, Resize)
    known = tuple(BILINEAR_KERNELS) if isinstance(resize, ResizeBilinear) else NEAREST_TYPES
    if x.dtype not in known or y.dtype is not x.dtype:
        names = ", ".join(k.value for k in known)
        return f"input is {x.dtype.value}, output {y.dtype.value}; supported: both one of {names}"
    if resize.align_corners and resize.half_pixel_centers:
        return "align_corners and half_pixel_centers are both set; supported: one of them"
    sides = (*x.shape[1:3], resize.height, resize.width)
    if not 1 <= min(sides) <= max(sides) <= LARGEST_SIDE:
        return (
            f"{sides[0]} x {sides[1]} becomes {sides[2]} x {sides[3]}; "
            f"supported: sides of 1 to {LARGEST_SIDE}"
        )
    return None


# --- positions ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Positions:
    """For each output row (or column): the two it lies between, and how far towards the second."""

    lower: Array
    upper: Array
    fraction: Array


def _float_scale(resize: Resize, size: int, outputs: int) -> np.float32:
    if resize.align_corners and outputs > 1:
        return np.float32(size - 1) / np.float32(outputs - 1)
    return np.float32(size) / np.float32(outputs)


def _float_positions(resize: Resize, size: int, outputs: int) -> Positions:
    at, scale = np.arange(outputs, dtype=np.float32), _float_scale(resize, size, outputs)
    half = np.float32(0.5)
    place = (at + half) * scale - half if resize.half_pixel_centers else at * scale
    lower = np.clip(np.floor(place), 0, size - 1).astype(np.int64)
    upper = np.clip(np.ceil(place), 0, size - 1).astype(np.int64)
    return Positions(lower, upper, (place - lower.astype(np.float32)).astype(np.float32))


def _integer_positions(resize: Resize, size: int, outputs: int) -> Positions:
    """In 1/1024 of a pixel."""
    scale = (ONE * size + outputs // 2) // outputs
    if resize.align_corners and outputs > 1:
        scale = (ONE * (size - 1) + (outputs - 1) // 2) // (outputs - 1)
    place = np.arange(outputs, dtype=np.int64) * scale
    if resize.half_pixel_centers:
        place = place + scale // 2 - ONE // 2
    lower = np.clip(place // ONE, 0, size - 1)
    upper = np.clip((place + ONE - 1) // ONE, 0, size - 1)
    return Positions(lower, upper, place - lower * ONE)


def _nearest_positions(resize: Resize, size: int, outputs: int) -> Array:
    at, scale = np.arange(outputs, dtype=np.float32), _float_scale(resize, size, outputs)
    place = (at + np.float32(0.5 if resize.half_pixel_centers else 0.0)) * scale
    rounded = np.floor(place + np.float32(0.5)) if resize.align_corners else np.floor(place)
    return np.asarray(np.clip(rounded, 0, size - 1), np.int64)


def _positions(node: Node) -> tuple[Positions, Positions]:
    """Of the output's rows and of its columns."""
    resize, x = attributes(node, Resize), node.input(0)
    find = _float_positions if x.dtype in IN_FLOATS else _integer_positions
    return (
        _given(resize.rows, x.dtype) or find(resize, x.shape[1], resize.height),
        _given(resize.columns, x.dtype) or find(resize, x.shape[2], resize.width),
    )


def _given(places: tuple[Place, ...], dtype: DType) -> Positions | None:
    if not places:
        return None
    lower, upper, fraction = zip(*places, strict=True)
    kind = np.float32 if dtype in IN_FLOATS else np.int64
    return Positions(np.array(lower, np.int64), np.array(upper, np.int64), np.array(fraction, kind))


def _nearest_places(node: Node) -> tuple[Array, Array]:
    """Of the output's rows and of its columns."""
    resize, x = attributes(node, ResizeNearest), node.input(0)
    rows, columns = _given(resize.rows, x.dtype), _given(resize.columns, x.dtype)
    return (
        rows.lower if rows else _nearest_positions(resize, x.shape[1], resize.height),
        columns.lower if columns else _nearest_positions(resize, x.shape[2], resize.width),
    )


# --- reference ------------------------------------------------------------------------------------


def _bilinear_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = values[0]
    assert x is not None
    if node.input(0).dtype not in IN_FLOATS:
        total = _weighted(node, x.astype(np.int64), ONE)
        half = 1 << (2 * POSITION_BITS - 1)
        rounded = np.sign(total) * ((np.abs(total) + half) >> (2 * POSITION_BITS))
        return (rounded.astype(x.dtype),)
    total = _weighted(node, x.astype(np.float32), np.float32(1))
    return ((total + np.float32(0.5)).astype(np.uint8) if x.dtype == np.uint8 else total,)


def _weighted(node: Node, x: Array, one: int | np.float32) -> Array:
    """Sum of the four pixels times their weights, where `one` is the weight of a whole pixel."""
    rows, columns = _positions(node)
    dy, dx = rows.fraction[:, None, None], columns.fraction[None, :, None]
    low, high = x[:, rows.lower], x[:, rows.upper]
    total: Array = low[:, :, columns.lower] * (one - dy) * (one - dx)
    total = total + high[:, :, columns.lower] * dy * (one - dx)
    total = total + low[:, :, columns.upper] * (one - dy) * dx
    return np.asarray(total + high[:, :, columns.upper] * dy * dx)


def _nearest_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = values[0]
    assert x is not None
    rows, columns = _nearest_places(node)
    return (x[:, rows][:, :, columns],)


# --- lowering -------------------------------------------------------------------------------------


def _table(node: Node, what: str, data: Array, dtype: DType) -> Tensor:
    name = f"{node.output.name} {what}"
    stored = np.ascontiguousarray(data, dtype.numpy)
    return Tensor(
        derived_id(node, what), name, stored.shape, dtype, TensorKind.CONSTANT, data=stored
    )


def _lower_bilinear(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    tables = _bilinear_tables(node, *_positions(node))
    params = BilinearParams(
        x.shape[2],
        y.shape[1],
        y.shape[2],
        x.shape[3],
        input_ring=x.shape[1],
        output_ring=y.shape[1],
    )
    return Lowered(_calls(node, BILINEAR_KERNELS[x.dtype], tables, params, x.dtype), tables)


def _bilinear_tables(node: Node, rows: Positions, columns: Positions) -> tuple[Tensor, ...]:
    """Integers in one table; where fractions are floats they have their own."""
    if node.input(0).dtype not in IN_FLOATS:
        each = [t for axis in (rows, columns) for t in (axis.lower, axis.upper, axis.fraction)]
        return (_table(node, "positions", np.concatenate(each), DType.INT16),)
    places = np.concatenate([rows.lower, rows.upper, columns.lower, columns.upper])
    fractions = np.concatenate([rows.fraction, columns.fraction])
    return (
        _table(node, "positions", places, DType.INT16),
        _table(node, "fractions", fractions, DType.FLOAT32),
    )


def _lower_nearest(node: Node, options: LowerOptions) -> Lowered:
    return lower_places(node, *_nearest_places(node))


def lower_places(node: Node, rows: Array, columns: Array) -> Lowered:
    """Output pixel (oy, ox) is input pixel (rows[oy], columns[ox])."""
    x, y = node.input(0), node.output
    tables = (_table(node, "positions", np.concatenate([columns, rows]), DType.INT16),)
    params = NearestParams(
        x.shape[2], y.shape[2], x.shape[3] * x.dtype.size, x.shape[1], y.shape[1]
    )
    return Lowered(_calls(node, NEAREST, tables, params, DType.UINT8), tables)


def _calls(
    node: Node, kernel: Kernel, tables: tuple[Tensor, ...], params: Params, seen_as: DType
) -> tuple[Call, ...]:
    x, y = node.input(0), node.output
    return tuple(
        Call(
            kernel,
            (
                Pointer(x.id, seen_as, offset=n * (x.size // x.shape[0])),
                *(read(t) for t in tables),
                Pointer(y.id, seen_as, const=False, offset=n * (y.size // y.shape[0])),
                params,
                Span(0, y.shape[1]),
            ),
        )
        for n in range(x.shape[0])
    )


def _bilinear_cost(node: Node) -> Cost:
    return Cost(macs=4 * node.output.elements)


def _bilinear_rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    rows, _ = _positions(node)
    return (Span(int(rows.lower[out.begin]), int(rows.upper[out.end - 1]) + 1),)


def _nearest_rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    rows = _nearest_places(node)[0][out.begin : out.end]
    return (Span(int(rows.min()), int(rows.max()) + 1),)


# --- boxes ----------------------------------------------------------------------------------------


def _bilinear_box(node: Node, output: int, box: Box) -> Boxed | None:
    resize, (rows, columns) = attributes(node, ResizeBilinear), _positions(node)
    down, lines = _cut(rows, box[1])
    across, pixels = _cut(columns, box[2])
    small = replace(resize, height=box[1].size, width=box[2].size, rows=lines, columns=pixels)
    return boxed(node, box, [(0, (box[0], down, across, box[3]))], small)


def _cut(positions: Positions, out: Span) -> tuple[Span, tuple[Place, ...]]:
    """The inputs that outputs lie between, and the places of the outputs among them."""
    own = slice(out.begin, out.end)
    lower, upper = positions.lower[own], positions.upper[own]
    first = int(lower.min())
    fractions = positions.fraction[own].tolist()
    places = zip((lower - first).tolist(), (upper - first).tolist(), fractions, strict=True)
    return Span(first, int(upper.max()) + 1), tuple(places)


def _nearest_box(node: Node, output: int, box: Box) -> Boxed | None:
    return box_of_places(node, box, *_nearest_places(node))


def box_of_places(node: Node, box: Box, rows: Array, columns: Array) -> Boxed | None:
    """A box of an output whose pixel (oy, ox) is input pixel (rows[oy], columns[ox])."""
    down, lines = _cut(Positions(rows, rows, np.zeros_like(rows)), box[1])
    across, pixels = _cut(Positions(columns, columns, np.zeros_like(columns)), box[2])
    small = ResizeNearest(box[1].size, box[2].size, rows=lines, columns=pixels)
    return boxed(node, box, [(0, (box[0], down, across, box[3]))], small)


RESIZE_BILINEAR = OpKind(
    type="RESIZE_BILINEAR",
    attributes=ResizeBilinear,
    summary="Another image size, by the weighted mean of the four nearest pixels.",
    supports=(
        ", ".join(t.value for t in BILINEAR_KERNELS),
        "align_corners or half_pixel_centers; the size is a constant",
    ),
    tflite={"RESIZE_BILINEAR": _from_tflite(ResizeBilinear)},
    infer=_infer,
    check=_check,
    reference=_bilinear_reference,
    lower=_lower_bilinear,
    kernels=tuple(BILINEAR_KERNELS.values()),
    cost=_bilinear_cost,
    rows=_bilinear_rows,
    box=_bilinear_box,
)
RESIZE_NEAREST_NEIGHBOR = OpKind(
    type="RESIZE_NEAREST_NEIGHBOR",
    attributes=ResizeNearest,
    summary="Another image size, by the nearest pixel.",
    supports=(
        ", ".join(t.value for t in NEAREST_TYPES),
        "align_corners or half_pixel_centers; the size is a constant",
    ),
    tflite={"RESIZE_NEAREST_NEIGHBOR": _from_tflite(ResizeNearest)},
    infer=_infer,
    check=_check,
    reference=_nearest_reference,
    lower=_lower_nearest,
    kernels=(NEAREST,),
    rows=_nearest_rows,
    box=_nearest_box,
)
