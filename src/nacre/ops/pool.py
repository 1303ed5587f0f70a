"""AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D: pools over windows of rows and columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops import pool_dsp, pool_mve
from nacre.ops.boxes import boxed
from nacre.ops.fixedpoint import activation_range, float_activation_range, saturate
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
    SourceNode,
    Span,
    Variant,
    attributes,
    meaning,
    read,
    real_meaning,
    write,
)
from nacre.ops.pool_dsp import MOST_TAPS
from nacre.ops.window import Axis, tflite_activation, tflite_padding


@dataclass(frozen=True)
class Pool2d(Attributes):
    """A window that slides over rows and columns; taps in the padding do not count."""

    kernel_h: int = 1
    kernel_w: int = 1
    stride_h: int = 1
    stride_w: int = 1
    pad_top: int = 0
    pad_left: int = 0
    pad_bottom: int = 0
    pad_right: int = 0
    activation: str = "NONE"

    def axes(self, x: Shape) -> tuple[Axis, Axis]:
        return (
            Axis(x[1], self.kernel_h, self.stride_h, 1, self.pad_top, self.pad_bottom),
            Axis(x[2], self.kernel_w, self.stride_w, 1, self.pad_left, self.pad_right),
        )


@dataclass(frozen=True)
class AveragePool2d(Pool2d):
    """Mean of the taps inside the input."""


@dataclass(frozen=True)
class MaxPool2d(Pool2d):
    """Largest of the taps."""


@dataclass(frozen=True)
class L2Pool2d(Pool2d):
    """Root of the mean square of the taps inside the input."""


@dataclass(frozen=True)
class PoolWindow(Params):
    """The fields that pools of all element types begin with."""

    input_h: int = meaning("input rows")
    input_w: int = meaning("input columns")
    channels: int = meaning("channels")
    output_w: int = meaning("output columns")
    kernel_h: int = meaning("window rows")
    kernel_w: int = meaning("window columns")
    stride_h: int = meaning("rows from one output to the next")
    stride_w: int = meaning("columns from one output to the next")
    pad_top: int = meaning("rows of padding above")
    pad_left: int = meaning("columns of padding to the left")
    input_ring: int = meaning("input rows kept")
    output_ring: int = meaning("output rows kept")


@dataclass(frozen=True)
class PoolParams(PoolWindow):
    c_type: ClassVar[str] = "nacre_pool2d_params_t"
    activation_min: int = meaning("lower clamp")
    activation_max: int = meaning("upper clamp")


@dataclass(frozen=True)
class FloatPoolParams(PoolWindow):
    c_type: ClassVar[str] = "nacre_pool2d_f32_params_t"
    activation_min: float = real_meaning("lower clamp")
    activation_max: float = real_meaning("upper clamp")


AVERAGE_KERNELS = {
    DType.INT8: Kernel("nacre_average_pool2d_s8", PoolParams),
    DType.UINT8: Kernel("nacre_average_pool2d_u8", PoolParams),
    DType.INT16: Kernel("nacre_average_pool2d_s16", PoolParams),
    DType.FLOAT32: Kernel("nacre_average_pool2d_f32", FloatPoolParams),
}
MAX_KERNELS = {
    DType.INT8: Kernel("nacre_max_pool2d_s8", PoolParams),
    DType.UINT8: Kernel("nacre_max_pool2d_u8", PoolParams),
    DType.INT16: Kernel("nacre_max_pool2d_s16", PoolParams),
    DType.FLOAT32: Kernel("nacre_max_pool2d_f32", FloatPoolParams),
}
L2_KERNELS = {DType.FLOAT32: Kernel("nacre_l2_pool2d_f32", FloatPoolParams)}
KERNELS: dict[type[Attributes], dict[DType, Kernel]] = {
    AveragePool2d: AVERAGE_KERNELS,
    MaxPool2d: MAX_KERNELS,
    L2Pool2d: L2_KERNELS,
}


def _from_tflite(kind: type[Pool2d]) -> Callable[[SourceNode], Imported]:
    def rule(source: SourceNode) -> Imported:
        x, options = source.input(0), source.options
        kernel_h, kernel_w = options.integer("filter_height"), options.integer("filter_width")
        stride_h, stride_w = options.integer("stride_h"), options.integer("stride_w")
        scheme = options.integer("padding")
        top, bottom = tflite_padding(scheme, x.shape[1], kernel_h, stride_h, 1)
        left, right = tflite_padding(scheme, x.shape[2], kernel_w, stride_w, 1)
        pool = kind(
            kernel_h, kernel_w, stride_h, stride_w, top, left, bottom, right,
            tflite_activation(options),
        )  # fmt: skip
        return Imported(pool, inputs=(0,))

    return rule


def _infer(pool: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x = inputs[0]
    assert isinstance(pool, Pool2d) and x is not None
    rows, columns = pool.axes(x.shape)
    return ((x.shape[0], rows.outputs, columns.outputs, x.shape[3]),)


def _check(node: Node) -> str | None:
    x, y = node.input(0), node.output
    known = KERNELS[type(node.operator.attributes)]
    if x.dtype not in known or y.dtype is not x.dtype:
        names = ", ".join(k.value for k in known)
        return f"input is {x.dtype.value}, output {y.dtype.value}; supported: both one of {names}"
    fused = attributes(node, Pool2d).activation != "NONE" and x.dtype is not DType.FLOAT32
    if fused and y.quantization is None:
        return f"a fused activation on {y.dtype.value} output without scale; give it one"
    return None


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    pool, x, y = attributes(node, Pool2d), values[0], node.output
    assert x is not None
    if x.dtype == np.float32:
        low, high = float_activation_range(pool.activation)
        pooled = _POOLED_FLOATS[type(pool)](pool, x)
        return (np.clip(pooled, np.float32(low), np.float32(high)),)
    pooled = _POOLED_INTEGERS[type(pool)](pool, x)
    return (saturate(pooled, y.dtype, *clamp(pool, y)),)


def _taps(pool: Pool2d, x: Array, padding: int | float) -> list[Array]:
    """One array of the output's shape per tap of the window, in the order that kernels read."""
    rows, columns = pool.axes(x.shape)
    around = ((0, 0), (rows.before, rows.after), (columns.before, columns.after), (0, 0))
    padded = np.pad(x, around, constant_values=padding)
    return [
        padded[:, ky :: rows.stride, kx :: columns.stride][:, : rows.outputs, : columns.outputs]
        for ky in range(pool.kernel_h)
        for kx in range(pool.kernel_w)
    ]


def _sum(taps: list[Array]) -> Array:
    """In the order of the taps."""
    total = np.zeros_like(taps[0])
    for tap in taps:
        total = total + tap
    return total


def _counts(pool: Pool2d, x: Array) -> Array:
    """How many taps of each window are inside the input."""
    return _sum(_taps(pool, np.ones((1, *x.shape[1:3], 1), x.dtype), 0))


def _average_integers(pool: Pool2d, x: Array) -> Array:
    """Sum / count, ties away from zero."""
    wide = x.astype(np.int64)
    total, count = _sum(_taps(pool, wide, 0)), _counts(pool, wide)
    return np.asarray(np.sign(total) * ((np.abs(total) + count // 2) // count))


def _average_floats(pool: Pool2d, x: Array) -> Array:
    return np.asarray(_sum(_taps(pool, x, 0)) / _counts(pool, x))


def _mean_square_root(pool: Pool2d, x: Array) -> Array:
    return np.sqrt(_sum(_taps(pool, x * x, 0)) / _counts(pool, x))


def _largest_integer(pool: Pool2d, x: Array) -> Array:
    return np.asarray(np.maximum.reduce(_taps(pool, x, np.iinfo(x.dtype).min)))


def _largest_float(pool: Pool2d, x: Array) -> Array:
    return np.asarray(np.maximum.reduce(_taps(pool, x, float(np.finfo(np.float32).min))))


_POOLED_INTEGERS: dict[type[Attributes], Callable[[Pool2d, Array], Array]] = {
    AveragePool2d: _average_integers,
    MaxPool2d: _largest_integer,
}
_POOLED_FLOATS: dict[type[Attributes], Callable[[Pool2d, Array], Array]] = {
    AveragePool2d: _average_floats,
    MaxPool2d: _largest_float,
    L2Pool2d: _mean_square_root,
}


def clamp(pool: Pool2d, y: Tensor) -> tuple[int, int]:
    return y.dtype.range if pool.activation == "NONE" else activation_range(pool.activation, y)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    pool, x, y = attributes(node, Pool2d), node.input(0), node.output
    kernel, params = KERNELS[type(pool)][x.dtype], _params(pool, x, y)
    calls = tuple(
        Call(
            kernel,
            (
                read(x, n * (x.size // x.shape[0])), write(y, n * (y.size // y.shape[0])),
                params, Span(0, y.shape[1]),
            ),
        )
        for n in range(x.shape[0])
    )  # fmt: skip
    return Lowered(calls)


def _params(pool: Pool2d, x: Tensor, y: Tensor) -> Params:
    window = (
        x.shape[1], x.shape[2], x.shape[3], y.shape[2], pool.kernel_h, pool.kernel_w,
        pool.stride_h, pool.stride_w, pool.pad_top, pool.pad_left, x.shape[1], y.shape[1],
    )  # fmt: skip
    if x.dtype is DType.FLOAT32:
        return FloatPoolParams(*window, *float_activation_range(pool.activation))
    return PoolParams(*window, *clamp(pool, y))


def _cost(node: Node) -> Cost:
    pool = attributes(node, Pool2d)
    return Cost(macs=node.output.elements * pool.kernel_h * pool.kernel_w)


def _rows(node: Node, out: Span) -> tuple[Span | None, ...]:
    rows, _ = attributes(node, Pool2d).axes(node.input(0).shape)
    return (rows.needs(out),)


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    pool = attributes(node, Pool2d)
    down, across = pool.axes(node.input(0).shape)
    rows, top, bottom = down.cut(box[1])
    columns, left, right = across.cut(box[2])
    small = replace(pool, pad_top=top, pad_left=left, pad_bottom=bottom, pad_right=right)
    return boxed(node, box, [(0, (box[0], rows, columns, box[3]))], small)


def _taps_of(node: Node) -> int:
    pool = attributes(node, Pool2d)
    return pool.kernel_h * pool.kernel_w


_VARIANTS: dict[type[Pool2d], tuple[Variant, ...]] = {
    AveragePool2d: tuple(
        make(_lower, AVERAGE_KERNELS[DType.INT8], _taps_of, MOST_TAPS)
        for make in (pool_mve.pool_variant, pool_dsp.pool_variant)
    ),
    MaxPool2d: tuple(
        make(_lower, MAX_KERNELS[DType.INT8], _taps_of, None)
        for make in (pool_mve.pool_variant, pool_dsp.pool_variant)
    ),
}


def _row(type: str, kind: type[Pool2d], summary: str, supports: tuple[str, ...]) -> OpKind:
    return OpKind(
        type=type,
        attributes=kind,
        summary=summary,
        supports=supports,
        tflite={type: _from_tflite(kind)},
        infer=_infer,
        check=_check,
        reference=_reference,
        lower=_lower,
        kernels=tuple(KERNELS[kind].values()),
        cost=_cost,
        rows=_rows,
        box=_box,
        variants=_VARIANTS.get(kind, ()),
    )


AVERAGE_POOL_2D = _row(
    "AVERAGE_POOL_2D",
    AveragePool2d,
    "Mean over a sliding window; taps in the padding do not count.",
    ("int8, uint8, int16, float32",),
)
MAX_POOL_2D = _row(
    "MAX_POOL_2D",
    MaxPool2d,
    "Largest value of a sliding window.",
    ("int8, uint8, int16, float32",),
)
L2_POOL_2D = _row(
    "L2_POOL_2D",
    L2Pool2d,
    "Root of the mean square over a sliding window.",
    ("float32",),
)
