"""MaxPool, AveragePool, the pools over whole images."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from nacre.frontends.onnx.layout import from_image, to_image
from nacre.frontends.onnx.rules_window import (
    average_pool,
    lp_pool,
    max_pool,
    refuse_indices,
    to_power,
    to_root,
    windows,
)
from nacre.frontends.onnx.source import Emitter, OnnxKind, OnnxSource, Rule
from nacre.frontends.onnx.windows import Window, kernel_shape, read_window
from nacre.ir import Shape, Tensor
from nacre.ops.kind import Refuse
from nacre.ops.pad import Pad
from nacre.ops.pool import AveragePool2d, MaxPool2d
from nacre.ops.reduce import Mean, Reduce, ReduceMax, Sum


def _max_pool(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    refuse_indices(source)
    if _is_general(source):
        return (max_pool(emit, x, windows(source, kernel_shape(source), x.shape[2:])),)
    window = _window(source, x.shape[2:])
    y = emit.one(MaxPool2d(*_pool(window)), (to_image(emit, x),))
    return (from_image(emit, y, len(x.shape)),)


def _average_pool(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    if _is_general(source):
        padded = bool(source.options.integer("count_include_pad"))
        along = windows(source, kernel_shape(source), x.shape[2:])
        return (average_pool(emit, x, along, padded),)
    whole = _window(source, x.shape[2:])
    image = to_image(emit, x)
    if source.options.integer("count_include_pad") and any((*whole.before, *whole.after)):
        declared = read_window(source, kernel_shape(source), x.shape[2:])
        # What rounding up adds behind the declared padding does not count.
        image = emit.one(Pad((0, *declared.before, 0), (0, *declared.after, 0)), (image,))
        rest = [w - d for w, d in zip(whole.after, declared.after, strict=True)]
        whole = replace(whole, before=(0, 0), after=(rest[0], rest[1]))
    y = emit.one(AveragePool2d(*_pool(whole)), (image,))
    return (from_image(emit, y, len(x.shape)),)


def _is_general(source: OnnxSource) -> bool:
    """Whether the window is one that no kernel has."""
    dilated = any(d != 1 for d in source.options.integers("dilations"))
    return dilated or len(source.input(0).shape) > 4


def _lp_pool(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    along = windows(source, kernel_shape(source), x.shape[2:])
    return (lp_pool(emit, x, along, source.options.integer("p", 2)),)


def _global_lp(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, power = source.input(0), source.options.integer("p", 2)
    axes = tuple(range(2, len(x.shape)))
    total = emit.one(Sum(axes, keep_dims=True), (to_power(emit, x, power),))
    return (to_root(emit, total, power),)


def _window(source: OnnxSource, sizes: Shape) -> Window:
    window = read_window(source, kernel_shape(source), sizes)
    if source.options.integer("ceil_mode"):
        window = _rounded_up(window, sizes)
    for axis, size in enumerate(sizes):
        k, before, after = window.kernel[axis], window.before[axis], window.after[axis]
        if before >= k or k > size + before + after:
            raise Refuse(f"a window of {k} over {size} inputs with {before} and {after} of padding")
    return window


def _rounded_up(window: Window, sizes: Shape) -> Window:
    """More padding behind, so that a window that begins inside is not lost."""
    after = list(window.after)
    for axis, size in enumerate(sizes):
        k, s, before = window.kernel[axis], window.strides[axis], window.before[axis]
        span = size + before + window.after[axis] - k
        steps = -(-span // s)
        if steps * s >= size + before:
            steps -= 1
        after[axis] = max(window.after[axis], steps * s + k - size - before)
        after[axis] = min(after[axis], steps * s + k - size - before + s - 1)
    return replace(window, after=(after[0], after[1]))


def _pool(w: Window) -> tuple[int, int, int, int, int, int, int, int]:
    """The fields of `Pool2d` in order."""
    return (*w.kernel, *w.strides, *w.before, *w.after)


def _global(kind: type[Reduce]) -> Rule:
    def rule(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
        x = source.input(0)
        return (emit.one(kind(tuple(range(2, len(x.shape))), keep_dims=True), (x,)),)

    return rule


POOLS: Mapping[str, OnnxKind] = {
    "MaxPool": OnnxKind(_max_pool, "1-D to 3-D, any dilation; without indices"),
    "AveragePool": OnnxKind(_average_pool, "1-D to 3-D, any dilation"),
    "LpPool": OnnxKind(_lp_pool, "1-D to 3-D, any dilation and power"),
    "GlobalLpPool": OnnxKind(_global_lp, "any number of dimensions and power"),
    "GlobalAveragePool": OnnxKind(_global(Mean), "any number of dimensions"),
    "GlobalMaxPool": OnnxKind(_global(ReduceMax), "any number of dimensions"),
}
