"""SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND, SPACE_TO_DEPTH, DEPTH_TO_SPACE: blocks of pixels moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, Node, Shape, Tensor
from nacre.ops.boxes import box_shape, boxed, is_whole
from nacre.ops.fill import value_words
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
from nacre.ops.moves import image_size, same_types, stored_zero
from nacre.ops.slice import Slice


@dataclass(frozen=True)
class SpaceToBatch(Attributes):
    """Blocks and padding of rows and columns; the padding holds the stored `value`."""

    block: tuple[int, int] = (1, 1)
    before: tuple[int, int] = (0, 0)
    after: tuple[int, int] = (0, 0)
    value: float = 0


@dataclass(frozen=True)
class BatchToSpace(Attributes):
    """Blocks of rows and columns, and what is cropped of the result."""

    block: tuple[int, int] = (1, 1)
    before: tuple[int, int] = (0, 0)
    after: tuple[int, int] = (0, 0)


@dataclass(frozen=True)
class SpaceToDepth(Attributes):
    block: int = 1


@dataclass(frozen=True)
class DepthToSpace(Attributes):
    block: int = 1


@dataclass(frozen=True)
class SpaceBatchParams(Params):
    c_type: ClassVar[str] = "nacre_space_batch_params_t"
    batches: int = meaning("images of the picture that is not cut")
    input_h: int = meaning("input rows")
    input_w: int = meaning("input columns")
    output_h: int = meaning("output rows")
    output_w: int = meaning("output columns")
    pixel: int = meaning("bytes of a pixel")
    block_h: int = meaning("rows of a block")
    block_w: int = meaning("columns of a block")
    top: int = meaning("rows of padding or cropping above")
    left: int = meaning("columns of padding or cropping to the left")
    element: int = meaning("bytes of an element")
    value: tuple[int, ...] = meanings("bits of the padding, low word first")


@dataclass(frozen=True)
class SpaceDepthParams(Params):
    c_type: ClassVar[str] = "nacre_space_depth_params_t"
    width: int = meaning("columns of the picture that is deeper")
    block: int = meaning("rows and columns of a block")
    pixel: int = meaning("bytes of one row of a block")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


SPACE_TO_BATCH = Kernel("nacre_space_to_batch", SpaceBatchParams)
BATCH_TO_SPACE = Kernel("nacre_batch_to_space", SpaceBatchParams)
SPACE_TO_DEPTH_ROWS = Kernel("nacre_space_to_depth", SpaceDepthParams)
DEPTH_TO_SPACE_ROWS = Kernel("nacre_depth_to_space", SpaceDepthParams)


def picture(shape: Shape) -> tuple[int, int, int, int]:
    """Batch, rows, columns, channels of [batch, rows, (columns,) channels]."""
    n, h, *w, c = shape
    return n, h, w[0] if w else 1, c


def _unpicture(shape: tuple[int, int, int, int], rank: int) -> Shape:
    return shape if rank == 4 else (shape[0], shape[1], shape[3])


# --- SPACE_TO_BATCH_ND, BATCH_TO_SPACE_ND ---------------------------------------------------------

Pair = tuple[int, int]


def _blocks(source: SourceNode, what: str) -> tuple[Pair, Pair, Pair]:
    """Block, before and after of rows and columns."""
    rank = len(source.input(0).shape)
    if rank not in (3, 4):
        raise Refuse(f"an input of {rank} dimensions; supported: 3, 4")
    block = source.constant(1, "the block").reshape(-1)
    sides = source.constant(2, what)
    if block.shape != (rank - 2,) or sides.shape != (rank - 2, 2):
        raise Refuse(f"block {list(block.shape)}, {what} {list(sides.shape)} for {rank} dimensions")
    if (block < 1).any() or (sides < 0).any():
        raise Refuse(f"block {block.tolist()}, {what} {sides.tolist()}; supported: not negative")
    columns = (1, 0, 0) if rank == 3 else (int(block[1]), int(sides[1, 0]), int(sides[1, 1]))
    rows = int(block[0]), int(sides[0, 0]), int(sides[0, 1])
    return (rows[0], columns[0]), (rows[1], columns[1]), (rows[2], columns[2])


def _space_to_batch(source: SourceNode) -> Imported:
    block, before, after = _blocks(source, "the padding")
    _, h, w, _ = picture(source.input(0).shape)
    padded = h + before[0] + after[0], w + before[1] + after[1]
    if padded[0] % block[0] or padded[1] % block[1]:
        raise Refuse(f"{list(padded)} padded rows and columns in blocks of {list(block)}")
    value = stored_zero(source.outputs[0])
    return Imported(SpaceToBatch(block, before, after, value), inputs=(0,))


def _batch_to_space(source: SourceNode) -> Imported:
    block, before, after = _blocks(source, "the cropping")
    n, h, w, _ = picture(source.input(0).shape)
    if n % (block[0] * block[1]):
        raise Refuse(f"{n} images in blocks of {list(block)}")
    left = h * block[0] - before[0] - after[0], w * block[1] - before[1] - after[1]
    if min(left) < 0:
        raise Refuse(f"crops {list(before)} and {list(after)} of {h * block[0]}, {w * block[1]}")
    return Imported(BatchToSpace(block, before, after), inputs=(0,))


def _infer_batch(to: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert isinstance(to, SpaceToBatch) and x is not None
    n, h, w, c = picture(x.shape)
    rows = (h + to.before[0] + to.after[0]) // to.block[0]
    columns = (w + to.before[1] + to.after[1]) // to.block[1]
    return (_unpicture((n * to.block[0] * to.block[1], rows, columns, c), len(x.shape)),)


def _infer_space(to: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert isinstance(to, BatchToSpace) and x is not None
    n, h, w, c = picture(x.shape)
    rows = h * to.block[0] - to.before[0] - to.after[0]
    columns = w * to.block[1] - to.before[1] - to.after[1]
    return (_unpicture((n // (to.block[0] * to.block[1]), rows, columns, c), len(x.shape)),)


def _reference_batch(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    to, (x,) = attributes(node, SpaceToBatch), values
    assert x is not None
    n, h, w, c = picture(x.shape)
    sides = ((0, 0), *zip(to.before, to.after, strict=True), (0, 0))
    padded = np.pad(x.reshape(n, h, w, c), sides, constant_values=to.value)
    (bh, bw), (_, rows, columns, _) = to.block, padded.shape
    cut = padded.reshape(n, rows // bh, bh, columns // bw, bw, c)
    return (cut.transpose(2, 4, 0, 1, 3, 5).reshape(node.output.shape),)


def _reference_space(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    to, (x,) = attributes(node, BatchToSpace), values
    assert x is not None
    n, h, w, c = picture(x.shape)
    (bh, bw), images = to.block, n // (to.block[0] * to.block[1])
    cut = x.reshape(bh, bw, images, h, w, c).transpose(2, 3, 0, 4, 1, 5)
    whole = cut.reshape(images, h * bh, w * bw, c)
    inside = whole[:, to.before[0] : h * bh - to.after[0], to.before[1] : w * bw - to.after[1]]
    return (np.ascontiguousarray(inside).reshape(node.output.shape),)


def _lower_batch(node: Node, options: LowerOptions) -> Lowered:
    to = attributes(node, SpaceToBatch)
    params = _batch_params(node, to, picture(node.input(0).shape)[0], to.value)
    return Lowered((Call(SPACE_TO_BATCH, (read(node.input(0)), write(node.output), params)),))


def _lower_space(node: Node, options: LowerOptions) -> Lowered:
    to = attributes(node, BatchToSpace)
    params = _batch_params(node, to, picture(node.output.shape)[0], 0)
    return Lowered((Call(BATCH_TO_SPACE, (read(node.input(0)), write(node.output), params)),))


def _batch_params(
    node: Node, to: SpaceToBatch | BatchToSpace, batches: int, value: float
) -> SpaceBatchParams:
    x, y = node.input(0), node.output
    (_, input_h, input_w, channels), (_, output_h, output_w, _) = picture(x.shape), picture(y.shape)
    return SpaceBatchParams(
        batches=batches, input_h=input_h, input_w=input_w, output_h=output_h, output_w=output_w,
        pixel=channels * x.dtype.size, block_h=to.block[0], block_w=to.block[1],
        top=to.before[0], left=to.before[1],
        element=x.dtype.size, value=value_words(value, x.dtype),
    )  # fmt: skip


SPACE_TO_BATCH_ND = OpKind(
    type="SPACE_TO_BATCH_ND",
    attributes=SpaceToBatch,
    summary="Pads, then moves the pixels of each block to images of their own.",
    supports=(
        "every element type; 3 or 4 dimensions; constant block and padding",
        "padding holds the zero point, as in LiteRT (TFLite Micro leaves int8 padding at 0)",
    ),
    tflite={"SPACE_TO_BATCH_ND": _space_to_batch},
    infer=_infer_batch,
    check=same_types,
    reference=_reference_batch,
    lower=_lower_batch,
    kernels=(SPACE_TO_BATCH,),
)
BATCH_TO_SPACE_ND = OpKind(
    type="BATCH_TO_SPACE_ND",
    attributes=BatchToSpace,
    summary="Moves images to the pixels of blocks, then crops.",
    supports=("every element type; 3 or 4 dimensions; constant block and cropping",),
    tflite={"BATCH_TO_SPACE_ND": _batch_to_space},
    infer=_infer_space,
    check=same_types,
    reference=_reference_space,
    lower=_lower_space,
    kernels=(BATCH_TO_SPACE,),
)


# --- SPACE_TO_DEPTH, DEPTH_TO_SPACE -------------------------------------------------------------


def _space_to_depth(source: SourceNode) -> Imported:
    block = source.options.integer("block_size")
    _, h, w, _ = picture(source.input(0).shape)
    if h % block or w % block:
        raise Refuse(f"{h} rows and {w} columns in blocks of {block}")
    return Imported(SpaceToDepth(block), inputs=(0,))


def _depth_to_space(source: SourceNode) -> Imported:
    block = source.options.integer("block_size")
    channels = source.input(0).shape[3]
    if channels % (block * block):
        raise Refuse(f"{channels} channels for blocks of {block}")
    return Imported(DepthToSpace(block), inputs=(0,))


def _infer_deep(to: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert isinstance(to, SpaceToDepth) and x is not None
    n, h, w, c = x.shape
    return ((n, h // to.block, w // to.block, c * to.block * to.block),)


def _infer_flat(to: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    (x,) = inputs
    assert isinstance(to, DepthToSpace) and x is not None
    n, h, w, c = x.shape
    return ((n, h * to.block, w * to.block, c // (to.block * to.block)),)


def _reference_deep(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    block, (x,) = attributes(node, SpaceToDepth).block, values
    assert x is not None
    n, h, w, c = x.shape
    cut = x.reshape(n, h // block, block, w // block, block, c)
    return (cut.transpose(0, 1, 3, 2, 4, 5).reshape(node.output.shape),)


def _reference_flat(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    block, (x,) = attributes(node, DepthToSpace).block, values
    assert x is not None
    n, h, w, c = x.shape
    cut = x.reshape(n, h, w, block, block, c // (block * block))
    return (cut.transpose(0, 1, 3, 2, 4, 5).reshape(node.output.shape),)


def _lower_deep(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    block = attributes(node, SpaceToDepth).block
    return Lowered(_depth_calls(SPACE_TO_DEPTH_ROWS, x, y, block, y.shape[2], x.shape[3]))


def _lower_flat(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    block = attributes(node, DepthToSpace).block
    return Lowered(_depth_calls(DEPTH_TO_SPACE_ROWS, x, y, block, x.shape[2], y.shape[3]))


def _depth_calls(
    kernel: Kernel, x: Tensor, y: Tensor, block: int, width: int, channels: int
) -> tuple[Call, ...]:
    params = SpaceDepthParams(
        width=width, block=block, pixel=block * channels * x.dtype.size,
        input_ring=x.shape[1], output_ring=y.shape[1],
    )  # fmt: skip
    return tuple(
        Call(kernel, (read(x, n * image_size(x)), write(y, n * image_size(y)), params,
                      Span(0, y.shape[1])))
        for n in range(x.shape[0])
    )  # fmt: skip


def _rows_deep(node: Node, out: Span) -> tuple[Span | None, ...]:
    block = attributes(node, SpaceToDepth).block
    return (Span(out.begin * block, out.end * block),)


def _rows_flat(node: Node, out: Span) -> tuple[Span | None, ...]:
    block = attributes(node, DepthToSpace).block
    return (Span(out.begin // block, -(-out.end // block)),)


def _box_deep(node: Node, output: int, box: Box) -> Boxed | None:
    if not is_whole(box[3], node.output.shape[3]):
        return None
    block = attributes(node, SpaceToDepth).block
    rows, columns = (Span(s.begin * block, s.end * block) for s in box[1:3])
    return boxed(node, box, [(0, (box[0], rows, columns, Span(0, node.input(0).shape[3])))])


def _box_flat(node: Node, output: int, box: Box) -> Boxed | None:
    """Whole blocks, or columns of blocks in one row, or channels of one pixel."""
    block, x, y = attributes(node, DepthToSpace).block, node.input(0), node.output
    rows, columns = (Span(s.begin // block, -(-s.end // block)) for s in box[1:3])
    channels, row = y.shape[3], box[1].begin % block
    whole_columns = box[2].begin % block == box[2].end % block == 0
    if is_whole(box[3], channels) and whole_columns:
        if box[1].begin % block == box[1].end % block == 0:
            return boxed(node, box, [(0, (box[0], rows, columns, Span(0, x.shape[3])))])
        first, last = row * block * channels, (row + 1) * block * channels
    elif box[2].size == 1:
        pixel = (row * block + box[2].begin % block) * channels
        first, last = pixel + box[3].begin, pixel + box[3].end
    else:
        return None
    if box[1].size != 1:
        return None
    # The bytes are the same: a line of blocks, channels of a pixel.
    size = (box[0].size, 1, columns.size, last - first)
    copy = Slice((0,) * 4, size, (1,) * 4, box_shape(box))
    return boxed(node, box, [(0, (box[0], rows, columns, Span(first, last)))], copy)


SPACE_TO_DEPTH = OpKind(
    type="SPACE_TO_DEPTH",
    attributes=SpaceToDepth,
    summary="Moves the pixels of each block to channels.",
    supports=("every element type",),
    tflite={"SPACE_TO_DEPTH": _space_to_depth},
    infer=_infer_deep,
    check=same_types,
    reference=_reference_deep,
    lower=_lower_deep,
    kernels=(SPACE_TO_DEPTH_ROWS,),
    rows=_rows_deep,
    box=_box_deep,
)
DEPTH_TO_SPACE = OpKind(
    type="DEPTH_TO_SPACE",
    attributes=DepthToSpace,
    summary="Moves channels to the pixels of blocks.",
    supports=("every element type",),
    tflite={"DEPTH_TO_SPACE": _depth_to_space},
    infer=_infer_flat,
    check=same_types,
    reference=_reference_flat,
    lower=_lower_flat,
    kernels=(DEPTH_TO_SPACE_ROWS,),
    rows=_rows_flat,
    box=_box_flat,
)
