"""Elements picked or replaced by indices: GatherND, GatherElements, Scatter..., TopK, Trilu, ..."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from nacre.frontends.onnx.layout import reshaped, transposed
from nacre.frontends.onnx.rules_elementwise import aligned
from nacre.frontends.onnx.source import Emitter, Impossible, OnnxKind, OnnxSource, axis_of
from nacre.ir import Array, DType, Shape, Tensor
from nacre.ops.add import Add
from nacre.ops.argmax import ArgMax
from nacre.ops.cast import Cast
from nacre.ops.compare import Less
from nacre.ops.elements import GatherElements, ScatterElements
from nacre.ops.gather import Gather, GatherNd
from nacre.ops.kind import Refuse
from nacre.ops.mul import Mul
from nacre.ops.one_hot import OneHot
from nacre.ops.reduce import Sum
from nacre.ops.reverse_sequence import ReverseSequence
from nacre.ops.select import SelectV2
from nacre.ops.top_k import TopK
from nacre.ops.update_slice import RANK, UpdateSlice


def from_the_front(emit: Emitter, indices: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Negative indices count from the end; `sizes` belong to the last dimension, or are one."""
    limits = np.array(sizes if len(sizes) > 1 else sizes[0], indices.dtype.numpy)
    if indices.is_constant:
        data = indices.constant
        return emit.constant(np.where(data < 0, data + limits, data).astype(np.int32), indices)
    negative = emit.one(Less(), (indices, emit.like(0, indices)), DType.BOOL)
    later = emit.one(Add(), aligned(emit, (indices, emit.constant(limits))))
    return emit.one(SelectV2(), (negative, later, indices), indices.dtype)


# --- gather ---------------------------------------------------------------------------------------


def _gather(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, indices = source.input(0), source.input(1)
    axis = axis_of(source.options.integer("axis"), len(x.shape))
    picked = from_the_front(emit, indices, (x.shape[axis],))
    return (emit.one(Gather(axis), (x, picked), x.dtype),)


def _gather_elements(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, indices = source.input(0), source.input(1)
    axis = axis_of(source.options.integer("axis"), len(x.shape))
    return (emit.one(GatherElements(axis), (x, indices), x.dtype),)


def _gather_nd(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, indices, batch = source.input(0), source.input(1), source.options.integer("batch_dims")
    depth = (indices.shape[-1] if indices.shape else 0) + batch
    if not batch < depth <= len(x.shape):
        raise Impossible(f"indices {list(indices.shape)} of {list(x.shape)}")
    if batch:
        data = source.constant(1, "the tensor of indices of batches")
        indices = emit.constant(_with_batches(data, batch), indices)
    front = from_the_front(emit, indices, x.shape[:depth])
    return (emit.one(GatherNd(), (x, front), x.dtype),)


def _with_batches(indices: Array, batch: int) -> Array:
    """The coordinates of the batch before the others."""
    places = indices.shape[:-1]
    grid = np.indices(places)[:batch]
    return np.concatenate([np.moveaxis(grid, 0, -1), indices], axis=-1).astype(np.int64)


# --- scatter --------------------------------------------------------------------------------------


def _reduction(source: OnnxSource) -> str:
    return source.options.text("reduction") or "none"


def _scatter_elements(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, indices, updates = (source.input(i) for i in range(3))
    axis = axis_of(source.options.integer("axis"), len(x.shape))
    return (emit.one(ScatterElements(axis, _reduction(source)), (x, indices, updates)),)


def _scatter_nd(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    """Slices of `width` elements, each at a row; a box of them is one update."""
    x, indices, updates = (source.input(i) for i in range(3))
    depth = indices.shape[-1] if indices.shape else 0
    expected = (*indices.shape[:-1], *x.shape[depth:])
    if not 1 <= depth <= len(x.shape) or updates.shape != expected:
        raise Impossible(
            f"updates {list(updates.shape)} at {list(indices.shape)} of {list(x.shape)}"
        )
    box = _box(indices, x.shape[:depth]) if _reduction(source) == "none" else None
    if box is not None and len(x.shape) <= RANK:
        begin, size = box
        starts = np.array(begin + (0,) * (len(x.shape) - depth), np.int32)
        content = reshaped(emit, updates, *size, *x.shape[depth:])
        return (emit.one(UpdateSlice(), (x, content, emit.constant(starts))),)
    rows, width = math.prod(x.shape[:depth]), math.prod(x.shape[depth:])
    count = math.prod(indices.shape[:-1])
    flat = reshaped(emit, x, rows, width)
    places = reshaped(emit, _rows(emit, indices, x.shape[:depth]), count, 1)
    kind = ScatterElements(0, _reduction(source))
    y = emit.one(kind, (flat, places, reshaped(emit, updates, count, width)))
    return (reshaped(emit, y, *x.shape),)


def _box(indices: Tensor, sizes: Shape) -> tuple[Shape, Shape] | None:
    """Begin and size of the box that constant coordinates run through in order."""
    if not indices.is_constant or indices.elements == 0:
        return None
    at = indices.constant.reshape(-1, len(sizes)).astype(np.int64)
    at = np.where(at < 0, at + np.array(sizes), at)
    begin = at.min(axis=0)
    size = at.max(axis=0) - begin + 1
    if math.prod(size.tolist()) != len(at) or (begin < 0).any() or (begin + size > sizes).any():
        return None
    grid = np.moveaxis(np.indices(size.tolist()), 0, -1).reshape(-1, len(sizes)) + begin
    return (tuple(begin.tolist()), tuple(size.tolist())) if (grid == at).all() else None


def _rows(emit: Emitter, indices: Tensor, sizes: Shape) -> Tensor:
    """Coordinates as numbers of rows."""
    front = from_the_front(emit, indices, sizes)
    if front.dtype is not DType.INT32:
        front = emit.one(Cast(), (front,), DType.INT32)
    steps = np.array([math.prod(sizes[d + 1 :]) for d in range(len(sizes))], np.int32)
    scaled = emit.one(Mul(), aligned(emit, (front, emit.constant(steps))))
    return emit.one(Sum((len(indices.shape) - 1,)), (scaled,))


# --- what is picked by its value ------------------------------------------------------------------


def _top_k(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, options = source.input(0), source.options
    rank = len(x.shape)
    axis = axis_of(options.integer("axis", -1), rank)
    if source.opset < 10:
        count = options.integer("k")
    else:
        count = int(source.constant(1, "the number of values").reshape(-1)[0])
    order = (*(d for d in range(rank) if d != axis), axis)
    back = tuple(order.index(d) for d in range(rank))
    kind = TopK(count, bool(options.integer("largest", 1)))
    made = emit.several(kind, (transposed(emit, x, *order),), rest=DType.INT64)
    return tuple(transposed(emit, y, *back) for y in made)


def _hardmax(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    """1 at the first of the largest values."""
    x = source.input(0)
    old = source.opset < 13
    axis = axis_of(source.options.integer("axis", 1 if old else -1), len(x.shape))
    if old:
        flat = reshaped(emit, x, math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
        return (reshaped(emit, _hot(emit, flat, 1), *x.shape),)
    return (_hot(emit, x, axis),)


def _hot(emit: Emitter, x: Tensor, axis: int) -> Tensor:
    largest = emit.one(ArgMax(axis), (x,), DType.INT64)
    return emit.one(OneHot(axis, x.shape[axis]), (largest,), x.dtype)


def _one_hot(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    indices = source.input(0)
    depth = int(source.constant(1, "the depth").reshape(-1)[0])
    off, on = (v.item() for v in source.constant(2, "the pair of values").reshape(-1))
    if depth < 1:
        raise Refuse(f"depth is {depth}; supported: 1 or more")
    axis = axis_of(source.options.integer("axis", -1), len(indices.shape) + 1)
    if indices.dtype is DType.FLOAT32:
        indices = emit.one(Cast(), (indices,), DType.INT64)
    if indices.dtype not in (DType.INT32, DType.INT64):
        raise Refuse(f"indices are {indices.dtype.value}; supported: int32, int64, float32")
    front = from_the_front(emit, indices, (depth,))
    return (emit.one(OneHot(axis, depth, on, off), (front,), source.input(2).dtype),)


def _compress(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    kept = np.nonzero(source.constant(1, "the condition").reshape(-1))[0].astype(np.int32)
    if "axis" not in source.options.values:
        return (emit.one(Gather(0), (reshaped(emit, x, x.elements), emit.constant(kept)), x.dtype),)
    axis = axis_of(source.options.integer("axis"), len(x.shape))
    return (emit.one(Gather(axis), (x, emit.constant(kept)), x.dtype),)


def _trilu(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    """One side of the diagonal, zeros on the other."""
    x = source.input(0)
    if x.elements == 0:
        return (reshaped(emit, x, *x.shape),)
    shift = 0 if source.optional(1) is None else int(source.constant(1, "k").reshape(-1)[0])
    upper = source.options.integer("upper", 1)
    shift = max(-x.shape[-2] - 1, min(x.shape[-1] + 1, shift))
    kept = np.triu(np.ones(x.shape[-2:], np.bool_), shift)
    if not upper:
        kept = np.tril(np.ones(x.shape[-2:], np.bool_), shift)
    mask = reshaped(emit, emit.constant(kept), *(1,) * (len(x.shape) - 2), *kept.shape)
    return (emit.one(SelectV2(), (mask, x, emit.like(0, x)), x.dtype),)


def _reverse_sequence(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, options = source.input(0), source.options
    time, batch = options.integer("time_axis"), options.integer("batch_axis", 1)
    return (emit.one(ReverseSequence(time, batch), (x, source.input(1)), x.dtype),)


_ALL = "every element type"
INDICES: Mapping[str, OnnxKind] = {
    "Gather": OnnxKind(_gather, f"{_ALL}; constant or computed indices"),
    "GatherND": OnnxKind(_gather_nd, f"{_ALL}; computed indices without batch dimensions"),
    "GatherElements": OnnxKind(_gather_elements, f"{_ALL}; constant or computed indices"),
    "ScatterElements": OnnxKind(_scatter_elements, f"{_ALL}; reductions of float32"),
    "Scatter": OnnxKind(_scatter_elements, _ALL),
    "ScatterND": OnnxKind(_scatter_nd, f"{_ALL}; reductions of float32"),
    "TopK": OnnxKind(_top_k, "float32; a constant number of values"),
    "Hardmax": OnnxKind(_hardmax, "float32"),
    "OneHot": OnnxKind(_one_hot, "indices int32, int64, float32; constant depth and values"),
    "Compress": OnnxKind(_compress, f"{_ALL}; a constant condition"),
    "Trilu": OnnxKind(_trilu, f"{_ALL}; a constant diagonal"),
    "ReverseSequence": OnnxKind(_reverse_sequence, _ALL),
}
