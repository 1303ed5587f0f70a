"""MEAN, SUM, REDUCE_MAX, REDUCE_MIN, REDUCE_PROD, REDUCE_ANY, REDUCE_ALL: reductions over axes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from math import prod
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.boxes import boxed
from nacre.ops.fixedpoint import (
    WIDEST_SHIFT,
    quantize_multiplier,
    requantize,
    requantize_wide,
    saturate,
    single_multiplier,
)
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
    Refuse,
    SourceNode,
    Span,
    attributes,
    meaning,
    meanings,
    read,
    write,
)

# Groups of neighbouring axes of one kind that the kernels walk.
GROUPS = 3
# Products of quantized values are rescaled after every factor.
QUANTIZED = (DType.INT8, DType.UINT8, DType.INT16)


@dataclass(frozen=True)
class Reduce(Attributes):
    """`axes` are sorted, distinct and not negative."""

    axes: tuple[int, ...] = ()
    keep_dims: bool = False
    # Sums are rounded once (ONNX Runtime), not twice (TFLite).
    once: bool = False

    def count(self, x: Shape) -> int:
        """Values that go into one output."""
        return prod(x[a] for a in self.axes)


@dataclass(frozen=True)
class Mean(Reduce):
    """Sum / count."""


@dataclass(frozen=True)
class Sum(Reduce):
    """Sum."""


@dataclass(frozen=True)
class ReduceMax(Reduce):
    """Largest."""


@dataclass(frozen=True)
class ReduceMin(Reduce):
    """Smallest."""


@dataclass(frozen=True)
class ReduceProd(Reduce):
    """Product."""


@dataclass(frozen=True)
class ReduceAny(Reduce):
    """Is any true."""


@dataclass(frozen=True)
class ReduceAll(Reduce):
    """Are all true."""


@dataclass(frozen=True)
class ReduceParams(Params):
    c_type: ClassVar[str] = "nacre_reduce_params_t"
    kept_size: tuple[int, ...] = meanings("sizes of the outer kept axes")
    kept_stride: tuple[int, ...] = meanings("elements from one to the next on them")
    inner: int = meaning("values of the innermost kept axis; 1 where the last axis is reduced")
    reduced_size: tuple[int, ...] = meanings("sizes of the reduced axes")
    reduced_stride: tuple[int, ...] = meanings("elements from one to the next on them")
    count: int = meaning("divisor of the sum")
    input_offset: int = meaning("added to the sum, or to each factor of a product")
    multiplier: int = meaning("fraction of the output's scale factor")
    shift: int = meaning("power of two of the output's scale factor")
    output_offset: int = meaning("zero point of the output")


def _kernels(name: str, types: tuple[DType, ...]) -> dict[DType, Kernel]:
    return {t: Kernel(f"nacre_{name}_{SUFFIXES[t]}", ReduceParams) for t in types}


SUFFIXES = {
    DType.INT8: "s8",
    DType.UINT8: "u8",
    DType.INT16: "s16",
    DType.INT32: "s32",
    DType.INT64: "s64",
    DType.FLOAT32: "f32",
    DType.BOOL: "bool",
}
NUMBERS = (DType.INT8, DType.UINT8, DType.INT16, DType.INT32, DType.INT64, DType.FLOAT32)
SUM_KERNELS = _kernels("reduce_sum", NUMBERS)
KERNELS: dict[type[Attributes], dict[DType, Kernel]] = {
    Mean: SUM_KERNELS,
    Sum: SUM_KERNELS,
    ReduceMax: _kernels("reduce_max", NUMBERS),
    ReduceMin: _kernels("reduce_min", NUMBERS),
    ReduceProd: _kernels("reduce_prod", (DType.INT8, DType.INT16, DType.INT32, DType.FLOAT32)),
    ReduceAny: _kernels("reduce_any", (DType.BOOL,)),
    ReduceAll: _kernels("reduce_all", (DType.BOOL,)),
}


def _from_tflite(kind: type[Reduce]) -> Callable[[SourceNode], Imported]:
    def rule(source: SourceNode) -> Imported:
        x, axes = source.input(0), source.constant(1, "the list of axes")
        keep = source.options.flag("keep_dims")
        return Imported(kind(resolved_axes(axes, len(x.shape)), keep), inputs=(0,))

    return rule


def resolved_axes(axes: Array, rank: int) -> tuple[int, ...]:
    """Sorted axes counted from the front, without repeats."""
    found = set()
    for axis in axes.reshape(-1).tolist():
        if not -rank <= axis < max(rank, 1):
            raise Refuse(
                f"axis {axis} of an input with {rank} axes; expected {-rank} to {rank - 1}"
            )
        if rank > 0:
            found.add(axis % rank)
    return tuple(sorted(found))


def _infer(reduce: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x = inputs[0]
    assert isinstance(reduce, Reduce) and x is not None
    if reduce.keep_dims:
        return (tuple(1 if a in reduce.axes else d for a, d in enumerate(x.shape)),)
    return (tuple(d for a, d in enumerate(x.shape) if a not in reduce.axes),)


def _check(node: Node) -> str | None:
    x, y, reduce = node.input(0), node.output, attributes(node, Reduce)
    known = KERNELS[type(reduce)]
    if x.dtype not in known or y.dtype is not x.dtype:
        names = ", ".join(k.value for k in known)
        return f"input is {x.dtype.value}, output {y.dtype.value}; supported: both one of {names}"
    if x.elements == 0:
        return f"input is empty ({list(x.shape)}); supported: at least one value"
    layout = _layout(reduce, x.shape)
    if max(len(layout.kept), len(layout.reduced)) > GROUPS:
        return (
            f"axes {list(reduce.axes)} of {len(x.shape)} alternate between kept and reduced more "
            f"than {GROUPS} times; supported: up to {GROUPS} groups of each"
        )
    scaled = isinstance(reduce, Mean | Sum | ReduceProd) and x.dtype in QUANTIZED
    if scaled and (x.quantization is None or y.quantization is None):
        return f"{x.dtype.value} without scale and zero point; supported: quantized tensors"
    if isinstance(reduce, ReduceProd) and scaled and _scaling(node).shift > WIDEST_SHIFT:
        return f"products are scaled up by 2^{WIDEST_SHIFT} or more; supported: less"
    return None


# --- how the kernels see the axes -----------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """(size, stride) of merged axes, outermost first; `inner` is the last axis if it is kept."""

    kept: tuple[tuple[int, int], ...]
    inner: int
    reduced: tuple[tuple[int, int], ...]


def _layout(reduce: Reduce, x: Shape) -> Layout:
    """Neighbouring axes of one kind merge; axes of size 1 vanish."""
    axes = [(a in reduce.axes, d) for a, d in enumerate(x) if d != 1]
    merged = [(k, prod(d for _, d in run)) for k, run in groupby(axes, key=lambda axis: axis[0])]
    inner = 1
    if merged and not merged[-1][0]:
        inner = merged.pop()[1]
    kept: list[tuple[int, int]] = []
    reduced: list[tuple[int, int]] = []
    stride = inner
    for is_reduced, size in reversed(merged):
        (reduced if is_reduced else kept).insert(0, (size, stride))
        stride *= size
    return Layout(tuple(kept), inner, tuple(reduced))


def _columns(groups: tuple[tuple[int, int], ...]) -> tuple[Shape, Shape]:
    """Sizes and strides, filled up in front with axes of one value."""
    filled = ((1, 0),) * (GROUPS - len(groups)) + groups
    return tuple(size for size, _ in filled), tuple(stride for _, stride in filled)


# --- scaling --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Scaling:
    """y = requantize(sum + input_offset) + output_offset; of a product, the offset per factor."""

    input_offset: int = 0
    multiplier: int = 0
    shift: int = 0
    output_offset: int = 0


def _scaling(node: Node) -> Scaling:
    reduce, x, y = attributes(node, Reduce), node.input(0), node.output
    if x.dtype not in QUANTIZED or not isinstance(reduce, Mean | Sum | ReduceProd):
        return Scaling()
    count = reduce.count(x.shape)
    if isinstance(reduce, ReduceProd):
        # Each of the `count` rescalings takes its share of the output's scale.
        real = x.q.scale / y.q.scale ** (1.0 / count)
        return Scaling(-x.q.zero_point, *quantize_multiplier(real), y.q.zero_point)
    multiplier, shift = quantize_multiplier(x.q.scale / y.q.scale)
    if reduce.once and x.dtype is not DType.INT16:
        share = count if isinstance(reduce, Mean) else 1
        multiplier, shift = single_multiplier(x.q.scale / (share * y.q.scale))
    elif isinstance(reduce, Mean):
        multiplier, shift = _divided(multiplier, shift, count)
    return Scaling(-x.q.zero_point * count, multiplier, shift, y.q.zero_point)


def _divided(multiplier: int, shift: int, count: int) -> tuple[int, int]:
    """The multiplier / count, as the source runtimes do it: one integer division."""
    extra = min(count.bit_length() - 1, 32, 31 + shift)
    return (multiplier << extra) // count, shift - extra


# --- reference ------------------------------------------------------------------------------------


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    reduce, x = attributes(node, Reduce), values[0]
    assert x is not None
    result = _REFERENCES[type(reduce)](node, x, reduce.axes)
    return (result.astype(x.dtype).reshape(node.output.shape),)


def _sum(node: Node, x: Array, axes: Shape) -> Array:
    count = attributes(node, Reduce).count(x.shape) if isinstance(_attributes(node), Mean) else 1
    if x.dtype == np.float32:
        return np.asarray(x.sum(axis=axes, dtype=np.float32)) / np.float32(count)
    total = np.asarray(x.sum(axis=axes, dtype=np.int64))
    if node.input(0).dtype in (DType.INT32, DType.INT64):
        return np.asarray(np.sign(total) * (np.abs(total) // count))
    s = _scaling(node)
    scaled = requantize(total + s.input_offset, s.multiplier, s.shift) + s.output_offset
    return saturate(scaled, node.output.dtype)


def _attributes(node: Node) -> Attributes:
    return node.operator.attributes


def _product(node: Node, x: Array, axes: Shape) -> Array:
    if node.input(0).dtype not in QUANTIZED:
        return np.asarray(x.prod(axis=axes, dtype=x.dtype))
    s = _scaling(node)
    kept = [a for a in range(x.ndim) if a not in axes]
    rows = x.transpose(*kept, *axes).reshape(node.output.elements, -1).astype(np.int64)
    result = rows[:, 0] + s.input_offset
    for factor in rows.T[1:]:
        wide = requantize_wide(result * (factor + s.input_offset), s.multiplier, s.shift)
        result = wide.astype(np.int32).astype(np.int64)
    last = requantize_wide(result, s.multiplier, s.shift).astype(np.int32)
    result = last.astype(np.int64) + s.output_offset
    return saturate(result, node.output.dtype)


_REFERENCES: dict[type[Attributes], Callable[[Node, Array, Shape], Array]] = {
    Mean: _sum,
    Sum: _sum,
    ReduceMax: lambda _, x, axes: np.asarray(x.max(axis=axes)),
    ReduceMin: lambda _, x, axes: np.asarray(x.min(axis=axes)),
    ReduceProd: _product,
    ReduceAny: lambda _, x, axes: np.asarray(x.any(axis=axes)),
    ReduceAll: lambda _, x, axes: np.asarray(x.all(axis=axes)),
}


# --- lowering -------------------------------------------------------------------------------------


def _lower(node: Node, options: LowerOptions) -> Lowered:
    reduce, x, y = attributes(node, Reduce), node.input(0), node.output
    layout, s = _layout(reduce, x.shape), _scaling(node)
    params = ReduceParams(
        *_columns(layout.kept), layout.inner, *_columns(layout.reduced),
        reduce.count(x.shape) if isinstance(reduce, Mean) else 1,
        s.input_offset, s.multiplier, s.shift, s.output_offset,
    )  # fmt: skip
    return Lowered((Call(KERNELS[type(reduce)][x.dtype], (read(x), write(y), params)),))


def _cost(node: Node) -> Cost:
    return Cost(macs=node.input(0).elements)


def _box(node: Node, output: int, box: Box) -> Boxed | None:
    """The reduced axes are read whole."""
    reduce, left = attributes(node, Reduce), list(box)
    spans = []
    for axis, size in enumerate(node.input(0).shape):
        reduced = axis in reduce.axes
        own = left.pop(0) if reduce.keep_dims or not reduced else None
        spans.append(Span(0, size) if reduced or own is None else own)
    return boxed(node, box, [(0, tuple(spans))])


def _row(type: str, kind: type[Reduce], summary: str, *notes: str) -> OpKind:
    types = ", ".join(t.value for t in KERNELS[kind])
    return OpKind(
        type=type,
        attributes=kind,
        summary=f"{summary} over any axes, with or without keep_dims.",
        supports=(types, "the axes are a constant", *notes),
        tflite={type: _from_tflite(kind)},
        infer=_infer,
        check=_check,
        reference=_reference,
        lower=_lower,
        kernels=tuple(KERNELS[kind].values()),
        cost=_cost,
        box=_box,
    )


MEAN = _row("MEAN", Mean, "Mean")
SUM = _row("SUM", Sum, "Sum", "int8 and int16 saturate under either numerics (LiteRT wraps)")
REDUCE_MAX = _row("REDUCE_MAX", ReduceMax, "Largest value")
REDUCE_MIN = _row("REDUCE_MIN", ReduceMin, "Smallest value")
REDUCE_PROD = _row("REDUCE_PROD", ReduceProd, "Product")
REDUCE_ANY = _row("REDUCE_ANY", ReduceAny, "Whether any value is true")
REDUCE_ALL = _row("REDUCE_ALL", ReduceAll, "Whether all values are true")
