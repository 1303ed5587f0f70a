"""Resize, Upsample: where each output reads is worked out here, for every coordinate mode."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from nacre.frontends.onnx.layout import channels_last, channels_second, transposed
from nacre.frontends.onnx.resize_matrix import Axis, matrix, weighted
from nacre.frontends.onnx.source import Emitter, OnnxKind, OnnxSource, axis_of, check_size
from nacre.ir import Array, Tensor
from nacre.ops.add import Add
from nacre.ops.gather import Gather
from nacre.ops.kind import Refuse
from nacre.ops.mul import Mul
from nacre.ops.reshape import Reshape
from nacre.ops.resize import ResizeBilinear, ResizeNearest
from nacre.ops.select import SelectV2

# Places along one dimension that are worked out one by one.
MOST_OUTPUTS = 1 << 20


def _resize(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    mode = source.options.text("mode") or "nearest"
    axes = _axes(source)
    if mode not in ("nearest", "linear", "cubic"):
        raise Refuse(f"mode is {mode!r}; supported: nearest, linear, cubic")
    placed = {
        d: _places(source, a)
        for d, a in enumerate(axes)
        if a.scale != 1 or a.outputs != a.size or (a.start, a.end) != (0.0, 1.0)
    }
    y = _resized(source, emit, x, axes, placed, mode)
    return (_extrapolated(source, emit, y, axes, placed),)


def _resized(
    source: OnnxSource, emit: Emitter, x: Tensor, axes: list[Axis], placed: Mapping[int, Array],
    mode: str,
) -> Tensor:  # fmt: skip
    smooth = source.options.integer("antialias") and mode != "nearest"
    if mode == "cubic" or smooth:
        for d, place in placed.items():
            x = weighted(emit, x, d, matrix(source, axes[d], place, mode, bool(smooth)))
        return emit.one(Reshape(x.shape), (x,))
    whole = _as_image(emit, x, axes, placed, mode, source)
    if whole is not None:
        return whole
    for d, place in placed.items():
        if mode == "nearest":
            picked = np.clip(_rounded(source, place), 0, axes[d].size - 1).astype(np.int32)
            x = emit.one(Gather(d), (x, emit.constant(picked)))
        else:
            x = _interpolated(emit, x, d, place)
    return emit.one(Reshape(x.shape), (x,))


def _extrapolated(
    source: OnnxSource, emit: Emitter, y: Tensor, axes: list[Axis], placed: Mapping[int, Array]
) -> Tensor:
    """Outputs that lie outside the image have a value of their own."""
    if not _crops(source):
        return y
    inside = np.ones((1,) * len(axes), np.bool_)
    for d, place in placed.items():
        shape = tuple(-1 if n == d else 1 for n in range(len(axes)))
        inside = inside & ((place >= 0) & (place <= axes[d].size - 1)).reshape(shape)
    if inside.all():
        return y
    value = emit.like(source.options.real("extrapolation_value"), y)
    return emit.one(SelectV2(), (emit.constant(inside), y, value), y.dtype)


# --- sizes ----------------------------------------------------------------------------------------


def _axes(source: OnnxSource) -> list[Axis]:
    x = source.input(0)
    rank = len(x.shape)
    named = [axis_of(a, rank) for a in source.options.integers("axes")] or list(range(rank))
    scales, sizes = _wanted(source, len(named))
    axes = [Axis(n, n, 1.0) for n in x.shape]
    keep = source.options.text("keep_aspect_ratio_policy") or "stretch"
    if sizes is not None and keep != "stretch":
        ratios = [s / x.shape[d] for d, s in zip(named, sizes, strict=True)]
        ratio = min(ratios) if keep == "not_larger" else max(ratios)
        scales, sizes = [ratio] * len(named), [int(ratio * x.shape[d] + 0.5) for d in named]
    roi = _regions(source, len(named))
    for n, d in enumerate(named):
        size, (start, end) = x.shape[d], roi[n]
        if sizes is not None:
            scale = scales[n] if keep != "stretch" and scales else sizes[n] / size
            axes[d] = Axis(size, sizes[n], scale, start, end)
        elif scales is not None:
            span = (end - start) if _crops(source) else 1.0
            axes[d] = Axis(size, int(np.floor(size * span * scales[n])), scales[n], start, end)
    if min(a.outputs for a in axes) < 1:
        raise Refuse(f"an output of {[a.outputs for a in axes]}; supported: 1 or more")
    check_size(tuple(a.outputs for a in axes))
    longest = max((a.outputs for a in axes if a.outputs != a.size), default=0)
    if longest > MOST_OUTPUTS:
        raise Refuse(f"makes {longest} of one dimension; supported: up to {MOST_OUTPUTS}")
    return axes


def _wanted(source: OnnxSource, count: int) -> tuple[list[float] | None, list[int] | None]:
    """Scales or sizes, whichever the node gives."""
    if source.opset < 9 and source.type == "Upsample":
        listed = source.options.values.get("scales", ())
        return [float(v) for v in listed] if isinstance(listed, tuple) else None, None
    first = 1 if source.opset < 11 or source.type == "Upsample" else 2
    scales, sizes = source.optional(first), source.optional(3)
    if sizes is not None and sizes.elements:
        found = [int(v) for v in source.constant(3, "the sizes").reshape(-1)]
        if len(found) != count:
            raise Refuse(f"{len(found)} sizes for {count} axes")
        return None, found
    if scales is None or scales.elements != count:
        raise Refuse("neither scales nor sizes for every axis")
    values = [float(v) for v in source.constant(first, "the scales").reshape(-1)]
    if min(values) <= 0:
        raise Refuse(f"scales are {values}; supported: above 0")
    return values, None


def _regions(source: OnnxSource, count: int) -> list[tuple[float, float]]:
    if not _crops(source):
        return [(0.0, 1.0)] * count
    roi = [float(v) for v in source.constant(1, "the region of interest").reshape(-1)]
    if len(roi) != 2 * count:
        raise Refuse(f"a region of {len(roi)} values for {count} axes")
    return list(zip(roi[:count], roi[count:], strict=True))


def _crops(source: OnnxSource) -> bool:
    return _coordinates(source) == "tf_crop_and_resize"


# --- places ---------------------------------------------------------------------------------------


def _coordinates(source: OnnxSource) -> str:
    if source.opset < 11 or source.type == "Upsample":
        return "asymmetric"
    return source.options.text("coordinate_transformation_mode") or "half_pixel"


def _places(source: OnnxSource, axis: Axis) -> Array:
    """Where each output lies among the inputs."""
    at = np.arange(axis.outputs, dtype=np.float32)
    mode, scale = _coordinates(source), np.float32(axis.scale)
    half = np.float32(0.5)
    if mode == "half_pixel" or (mode == "pytorch_half_pixel" and axis.outputs > 1):
        return (at + half) / scale - half
    if mode == "pytorch_half_pixel":
        return at * 0
    if mode == "asymmetric":
        return at / scale
    if mode == "align_corners":
        return at * np.float32(axis.size - 1) / np.float32(max(axis.outputs - 1, 1))
    if mode == "half_pixel_symmetric":
        adjustment = axis.outputs / (axis.scale * axis.size)
        offset = np.float32(axis.size / 2 * (1 - adjustment))
        return offset + (at + half) / scale - half
    if mode == "tf_half_pixel_for_nn":
        return (at + half) / scale
    if mode == "tf_crop_and_resize":
        return _cropped(axis, at)
    raise Refuse(f"coordinate_transformation_mode is {mode!r}; it is not supported")


def _cropped(axis: Axis, at: Array) -> Array:
    span, last = axis.end - axis.start, axis.size - 1
    if axis.outputs == 1:
        places = np.full(1, 0.5 * (axis.start + axis.end) * last)
    else:
        places = axis.start * last + at * (span * last / (axis.outputs - 1))
    return places.astype(np.float32)


def _rounded(source: OnnxSource, places: Array) -> Array:
    old = source.opset < 11 or source.type == "Upsample"
    mode = "floor" if old else source.options.text("nearest_mode") or "round_prefer_floor"
    functions: Mapping[str, Callable[[Array], Array]] = {
        "floor": np.floor,
        "ceil": np.ceil,
        "round_prefer_floor": lambda p: np.ceil(p - np.float32(0.5)),
        "round_prefer_ceil": lambda p: np.floor(p + np.float32(0.5)),
    }
    if mode not in functions:
        raise Refuse(f"nearest_mode is {mode!r}; supported: {', '.join(functions)}")
    return functions[mode](places)


# --- operators ------------------------------------------------------------------------------------


def _interpolated(emit: Emitter, x: Tensor, axis: int, places: Array) -> Tensor:
    """The weighted mean of two neighbours along one dimension."""
    size = x.shape[axis]
    inside = np.clip(places, 0, size - 1)
    lower = np.floor(inside).astype(np.int32)
    upper = np.minimum(lower + 1, size - 1).astype(np.int32)
    shape = tuple(-1 if d == axis else 1 for d in range(len(x.shape)))
    fraction = (inside - lower).astype(np.float32).reshape(shape)
    parts = []
    for picked, weight in ((lower, 1 - fraction), (upper, fraction)):
        taken = emit.one(Gather(axis), (x, emit.constant(picked)))
        parts.append(emit.one(Mul(), (taken, emit.constant(weight.astype(np.float32)))))
    return emit.one(Add(), parts)


def _as_image(
    emit: Emitter, x: Tensor, axes: list[Axis], placed: Mapping[int, Array], mode: str,
    source: OnnxSource,
) -> Tensor | None:  # fmt: skip
    """One operator for rows and columns, where it reads exactly where ONNX does."""
    if len(x.shape) != 4 or not set(placed) <= {2, 3}:
        return None
    for corners, centres in ((False, False), (False, True), (True, False)):
        if all(_agrees(source, axes[d], p, mode, corners, centres) for d, p in placed.items()):
            kind = ResizeNearest if mode == "nearest" else ResizeBilinear
            resize = kind(axes[2].outputs, axes[3].outputs, corners, centres)
            y = emit.one(resize, (transposed(emit, x, *channels_last(4)),))
            return transposed(emit, y, *channels_second(4))
    return None


def _agrees(
    source: OnnxSource, axis: Axis, places: Array, mode: str, corners: bool, centres: bool
) -> bool:
    """Whether the operator with these options reads where the node does."""
    at = np.arange(axis.outputs, dtype=np.float64)
    ratio = axis.size / axis.outputs
    if corners and axis.outputs > 1:
        ratio = (axis.size - 1) / (axis.outputs - 1)
    if mode == "nearest":
        theirs = np.clip(_rounded(source, places), 0, axis.size - 1)
        ours = (at + (0.5 if centres else 0.0)) * ratio
        ours = np.floor(ours + 0.5) if corners else np.floor(ours)
        return bool((np.clip(ours, 0, axis.size - 1) == theirs).all())
    ours = (at + 0.5) * ratio - 0.5 if centres else at * ratio
    clipped = np.clip(ours, 0, axis.size - 1)
    return bool(np.allclose(clipped, np.clip(places, 0, axis.size - 1), rtol=0, atol=1e-6))


RESIZES: Mapping[str, OnnxKind] = {
    "Resize": OnnxKind(_resize, "nearest, linear, cubic, every coordinate mode; constant sizes"),
    "Upsample": OnnxKind(_resize, "nearest and linear; constant scales"),
}
