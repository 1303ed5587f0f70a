"""Elements moved, repeated, left out; nothing computed."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from nacre.frontends.onnx.layout import reshaped, transposed
from nacre.frontends.onnx.source import Emitter, OnnxKind, OnnxSource, axis_of, check_size
from nacre.ir import Shape, Tensor
from nacre.ops.concat import Concat
from nacre.ops.cumsum import CumSum
from nacre.ops.gather import Gather
from nacre.ops.kind import Refuse
from nacre.ops.pad import MirrorPad, Pad
from nacre.ops.reshape import Reshape
from nacre.ops.slice import Slice
from nacre.ops.split import SplitV
from nacre.ops.tile import BroadcastTo, Tile


def _identity(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    return (emit.one(Reshape(source.input(0).shape), (source.input(0),)),)


def _dropout(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    if source.optional(2) is not None and source.constant(2, "training_mode").any():
        raise Refuse("training_mode is true; supported: false")
    (y,) = _identity(source, emit)
    return y, emit.constant(np.ones(y.shape, np.bool_))


def _reshape(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    wanted = [int(d) for d in source.constant(1, "the shape").reshape(-1)]
    if not source.options.integer("allowzero"):
        if any(d == 0 and n >= len(x.shape) for n, d in enumerate(wanted)):
            raise Refuse(f"shape {wanted} for an input of {list(x.shape)}")
        wanted = [x.shape[n] if d == 0 else d for n, d in enumerate(wanted)]
    known = math.prod(d for d in wanted if d != -1)
    if wanted.count(-1) == 1 and known > 0 and x.elements % known == 0:
        wanted = [x.elements // known if d == -1 else d for d in wanted]
    if any(d < 0 for d in wanted) or math.prod(wanted) != x.elements:
        raise Refuse(f"shape {wanted} for an input of {list(x.shape)}")
    return (reshaped(emit, x, *wanted),)


def _flatten(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    axis = source.options.integer("axis", 1)
    axis = axis if axis == len(x.shape) else axis_of(axis, len(x.shape))
    return (reshaped(emit, x, math.prod(x.shape[:axis]), math.prod(x.shape[axis:])),)


def _squeeze(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    axes = source.integers(1, "axes", 13)
    gone = {axis_of(a, len(x.shape)) for a in axes or ()}
    wrong = [d for d in sorted(gone) if x.shape[d] != 1]
    if wrong:
        raise Refuse(f"squeezes dimension {wrong[0]} of {list(x.shape)}; supported: ones of 1")
    if axes is None:
        gone = {d for d, n in enumerate(x.shape) if n == 1}
    return (reshaped(emit, x, *(n for d, n in enumerate(x.shape) if d not in gone)),)


def _unsqueeze(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, axes = source.input(0), source.integers(1, "axes", 13) or ()
    rank = len(x.shape) + len(axes)
    added = {axis_of(a, rank) for a in axes}
    if len(added) != len(axes):
        raise Refuse(f"axes {list(axes)}; supported: distinct ones")
    rest = iter(x.shape)
    return (reshaped(emit, x, *(1 if d in added else next(rest) for d in range(rank))),)


def _transpose(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    order = source.options.integers("perm") or tuple(reversed(range(len(x.shape))))
    if sorted(order) != list(range(len(x.shape))):
        raise Refuse(f"permutation {list(order)} of {len(x.shape)} dimensions")
    return (transposed(emit, x, *order),)


def _concat(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    parts = [source.input(i) for i in range(len(source.inputs))]
    first = parts[0].shape
    axis = axis_of(source.options.integer("axis"), len(first))
    for part in parts:
        rest = part.shape[:axis] + part.shape[axis + 1 :]
        if rest != first[:axis] + first[axis + 1 :]:
            raise Refuse(f"joins {list(first)} and {list(part.shape)} along dimension {axis}")
    full = [p for p in parts if p.elements] or parts[:1]
    return (emit.one(Concat(axis), full),)


def _split(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, count = source.input(0), len(source.node.outputs)
    axis = axis_of(source.options.integer("axis"), len(x.shape))
    sizes = source.integers(1, "split", 13)
    if sizes is None:
        part = -(-x.shape[axis] // count)
        sizes = tuple(min(part, max(0, x.shape[axis] - part * n)) for n in range(count))
    if min(sizes) < 0 or sum(sizes) != x.shape[axis] or len(sizes) != count:
        raise Refuse(f"{x.shape[axis]} elements into parts of {list(sizes)} and {count} outputs")
    full = tuple(s for s in sizes if s)
    parts = iter(emit.several(SplitV(axis, full), (x,)) if full else ())
    nothing = np.zeros((*x.shape[:axis], 0, *x.shape[axis + 1 :]), x.dtype.numpy)
    return tuple(next(parts) if s else emit.constant(nothing) for s in sizes)


def _slice(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    starts, ends = source.integers(1, "starts", 10), source.integers(2, "ends", 10)
    if starts is None or ends is None:
        raise Refuse("it has no starts or no ends")
    axes = source.integers(3, "axes", 10)
    steps = source.integers(4, "steps", 10) or (1,) * len(starts)
    named = range(len(starts)) if axes is None else [axis_of(a, len(x.shape)) for a in axes]
    if not len(starts) == len(ends) == len(list(named)) == len(steps):
        raise Refuse(f"starts {list(starts)}, ends {list(ends)} and steps {list(steps)}")
    begin, size, step = [0] * len(x.shape), list(x.shape), [1] * len(x.shape)
    for axis, first, last, by in zip(named, starts, ends, steps, strict=True):
        if by == 0:
            raise Refuse("steps has a 0; supported: any other")
        taken = range(x.shape[axis])[slice(first, last, by)]
        begin[axis], size[axis], step[axis] = taken.start, len(taken), by
    return (emit.one(Slice(tuple(begin), tuple(size), tuple(step), tuple(size)), (x,)),)


def _pad(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, mode = source.input(0), source.options.text("mode") or "constant"
    before, after = _borders(source, len(x.shape))
    x = _cropped(emit, x, before, after)
    before, after = tuple(max(b, 0) for b in before), tuple(max(a, 0) for a in after)
    check_size(tuple(n + b + a for n, b, a in zip(x.shape, before, after, strict=True)))
    if mode == "constant":
        return (emit.one(Pad(before, after, _pad_value(source)), (x,)),)
    sizes = zip(before, after, x.shape, strict=True)
    if mode == "reflect" and all(max(b, a) < max(n, 1) for b, a, n in sizes):
        return (emit.one(MirrorPad(before, after, 1), (x,)),)
    for axis, size in enumerate(x.shape):
        places = np.arange(-before[axis], size + after[axis])
        if before[axis] or after[axis]:
            x = emit.one(Gather(axis), (x, emit.constant(_inside(places, size, mode))))
    return (emit.one(Reshape(x.shape), (x,)),)


def _inside(
    places: np.typing.NDArray[np.int64], size: int, mode: str
) -> np.typing.NDArray[np.int32]:
    """Where padding takes its elements from."""
    if size == 0:
        raise Refuse(f"mode {mode!r} with nothing to repeat")
    if mode == "edge":
        return np.clip(places, 0, size - 1).astype(np.int32)
    if mode == "wrap":
        return (places % size).astype(np.int32)
    if mode == "reflect":
        period = max(1, 2 * (size - 1))
        folded = places % period
        return np.minimum(folded, period - folded if size > 1 else folded).astype(np.int32)
    raise Refuse(f"mode is {mode!r}; supported: constant, reflect, edge, wrap")


def _borders(source: OnnxSource, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    pads = source.integers(1, "pads", 11) or ()
    axes = list(range(rank))
    if source.optional(3) is not None:
        axes = [axis_of(int(a), rank) for a in source.constant(3, "the axes").reshape(-1)]
    if len(pads) != 2 * len(axes):
        raise Refuse(f"pads are {list(pads)}; supported: {2 * len(axes)} values")
    before, after = [0] * rank, [0] * rank
    for n, axis in enumerate(axes):
        before[axis], after[axis] = pads[n], pads[n + len(axes)]
    return tuple(before), tuple(after)


def _pad_value(source: OnnxSource) -> float:
    if source.opset < 11:
        return source.options.real("value", 0.0)
    if source.optional(2) is None or source.input(2).elements == 0:
        return 0
    value: float = source.constant(2, "the value of the padding").reshape(-1)[0].item()
    return value


def _cropped(emit: Emitter, x: Tensor, before: Shape, after: Shape) -> Tensor:
    """Negative padding takes elements away."""
    if min((*before, *after), default=0) >= 0:
        return x
    begin = tuple(max(0, -b) for b in before)
    sides = zip(x.shape, before, after, strict=True)
    size = tuple(n + min(b, 0) + min(a, 0) for n, b, a in sides)
    if min(size) < 0:
        raise Refuse(f"pads {list(before)} and {list(after)} take more than there is")
    return emit.one(Slice(begin, size, (1,) * len(size), size), (x,))


def _expand(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    wanted = tuple(int(d) for d in source.constant(1, "the shape").reshape(-1))
    try:
        shape = tuple(int(d) for d in np.broadcast_shapes(x.shape, wanted))
    except (ValueError, RuntimeError):
        raise Refuse(f"{list(x.shape)} does not stretch to {list(wanted)}") from None
    return (emit.one(BroadcastTo(shape), (x,)),)


def _tile(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    times = tuple(int(d) for d in source.constant(1, "the repeats").reshape(-1))
    if len(times) != len(x.shape) or min(times, default=0) < 0:
        raise Refuse(f"repeats {list(times)} of {list(x.shape)}")
    return (emit.one(Tile(times), (x,)),)


def _cumsum(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, options = source.input(0), source.options
    axis = axis_of(int(source.constant(1, "the axis").reshape(-1)[0]), len(x.shape))
    total = CumSum(axis, bool(options.integer("exclusive")), bool(options.integer("reverse")))
    return (emit.one(total, (x,)),)


def _depth_to_space(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, block = source.input(0), source.options.integer("blocksize")
    if len(x.shape) != 4 or block < 1 or x.shape[1] % (block * block):
        raise Refuse(f"blocks of {block} from {list(x.shape)}")
    n, c, h, w = x.shape[0], x.shape[1] // (block * block), x.shape[2], x.shape[3]
    if source.options.text("mode") == "CRD":
        parts = reshaped(emit, x, n, c, block, block, h, w)
        moved = transposed(emit, parts, 0, 1, 4, 2, 5, 3)
    else:
        parts = reshaped(emit, x, n, block, block, c, h, w)
        moved = transposed(emit, parts, 0, 3, 4, 1, 5, 2)
    return (reshaped(emit, moved, n, c, h * block, w * block),)


def _space_to_depth(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, block = source.input(0), source.options.integer("blocksize")
    if len(x.shape) != 4 or block < 1 or x.shape[2] % block or x.shape[3] % block:
        raise Refuse(f"blocks of {block} from {list(x.shape)}")
    n, c, h, w = x.shape[0], x.shape[1], x.shape[2] // block, x.shape[3] // block
    parts = reshaped(emit, x, n, c, h, block, w, block)
    order = (0, 1, 3, 5, 2, 4) if source.options.text("mode") == "CRD" else (0, 3, 5, 1, 2, 4)
    return (reshaped(emit, transposed(emit, parts, *order), n, c * block * block, h, w),)


_ALL = "every element type"
MOVES: Mapping[str, OnnxKind] = {
    "Identity": OnnxKind(_identity, _ALL),
    "Dropout": OnnxKind(_dropout, "as in inference"),
    "Reshape": OnnxKind(_reshape, f"{_ALL}; a constant shape"),
    "Flatten": OnnxKind(_flatten, _ALL),
    "Squeeze": OnnxKind(_squeeze, f"{_ALL}; constant axes"),
    "Unsqueeze": OnnxKind(_unsqueeze, f"{_ALL}; constant axes"),
    "Transpose": OnnxKind(_transpose, _ALL),
    "Concat": OnnxKind(_concat, _ALL),
    "Split": OnnxKind(_split, f"{_ALL}; constant sizes"),
    "Slice": OnnxKind(_slice, f"{_ALL}; constant starts, ends, axes and steps"),
    "Pad": OnnxKind(_pad, f"{_ALL}; constant, reflect, edge and wrap"),
    "Expand": OnnxKind(_expand, f"{_ALL}; a constant shape"),
    "Tile": OnnxKind(_tile, f"{_ALL}; constant repeats"),
    "CumSum": OnnxKind(_cumsum, "float32, int32, int64; a constant axis"),
    "DepthToSpace": OnnxKind(_depth_to_space, f"{_ALL}; DCR and CRD"),
    "SpaceToDepth": OnnxKind(_space_to_depth, _ALL),
}
