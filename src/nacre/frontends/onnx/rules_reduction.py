"""Reductions, softmax, normalisations: what runs along axes."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from nacre.frontends.onnx.layout import channels_last, channels_second, reshaped, transposed
from nacre.frontends.onnx.rules_elementwise import aligned
from nacre.frontends.onnx.source import Emitter, OnnxKind, OnnxSource, Rule, axis_of
from nacre.ir import Array, Attributes, DType, Tensor
from nacre.ops.add import Add, Sub
from nacre.ops.argmax import ArgMax, ArgMin
from nacre.ops.binary import Maximum, Pow
from nacre.ops.div import Div
from nacre.ops.kind import Refuse
from nacre.ops.log_softmax import LogSoftmax
from nacre.ops.mul import Mul
from nacre.ops.pad import Pad
from nacre.ops.pool import AveragePool2d
from nacre.ops.reduce import (
    Mean,
    Reduce,
    ReduceAll,
    ReduceAny,
    ReduceMax,
    ReduceMin,
    ReduceProd,
    Sum,
)
from nacre.ops.reshape import Reshape
from nacre.ops.softmax import Softmax
from nacre.ops.transpose import Reverse
from nacre.ops.unary import Abs, Exp, Log, Rsqrt, Sqrt, Square

# --- reductions -----------------------------------------------------------------------------------


def _reduce(
    kind: type[Reduce], before: Attributes | None = None, after: Attributes | None = None,
    since: int = 18,
) -> Rule:  # fmt: skip
    def rule(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
        x = source.input(0)
        axes = _axes(source, since)
        if axes is None:
            return (emit.one(Reshape(x.shape), (x,)),)
        if x.elements == 0:
            y = emit.constant(_of_nothing(kind, x, axes))
        else:
            values = x if before is None else emit.one(before, (x,))
            y = emit.one(_for_type(kind, x)(axes, keep_dims=True), (values,))
        y = y if after is None else emit.one(after, (y,))
        return (_without(emit, y, axes, source.options.integer("keepdims", 1)),)

    return rule


# What a reduction of no values gives; of the largest and smallest, the limits of the type.
_NOTHING: Mapping[type[Reduce], float] = {
    Sum: 0, ReduceProd: 1, ReduceMax: -math.inf, ReduceMin: math.inf,
}  # fmt: skip


def _of_nothing(kind: type[Reduce], x: Tensor, axes: tuple[int, ...]) -> Array:
    value = _NOTHING.get(kind)
    if value is None:
        raise Refuse("the mean of nothing; supported: of at least one value")
    if math.isinf(value) and x.dtype is DType.BOOL:
        value = float(value > 0)
    elif math.isinf(value) and x.dtype is not DType.FLOAT32:
        value = x.dtype.range[value > 0]
    shape = tuple(1 if d in axes else n for d, n in enumerate(x.shape))
    return np.full(shape, value, x.dtype.numpy)


def _for_type(kind: type[Reduce], x: Tensor) -> type[Reduce]:
    """The largest of truth values is whether any is true."""
    if x.dtype is not DType.BOOL:
        return kind
    return {ReduceMax: ReduceAny, ReduceMin: ReduceAll}.get(kind, kind)


def _axes(source: OnnxSource, since: int) -> tuple[int, ...] | None:
    """Sorted axes; None where the node does nothing."""
    rank = len(source.input(0).shape)
    axes = source.integers(1, "axes", since)
    if not axes and source.options.integer("noop_with_empty_axes"):
        return None
    return tuple(sorted({axis_of(a, rank) for a in axes or range(rank)}))


def _without(emit: Emitter, y: Tensor, axes: tuple[int, ...], keep: int) -> Tensor:
    """The reduced dimensions left out unless they are to be kept."""
    if keep:
        return y
    return reshaped(emit, y, *(n for d, n in enumerate(y.shape) if d not in axes))


def _log_sum_exp(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    """m + log(sum(exp(x - m))) with m the largest."""
    x, axes = source.input(0), _axes(source, 18)
    if axes is None:
        return (emit.one(Reshape(x.shape), (x,)),)
    largest = emit.one(ReduceMax(axes, keep_dims=True), (x,))
    powers = emit.one(Exp(), (emit.one(Sub(), (x, largest)),))
    logs = emit.one(Log(), (emit.one(Sum(axes, keep_dims=True), (powers,)),))
    y = emit.one(Add(), (logs, largest))
    return (_without(emit, y, axes, source.options.integer("keepdims", 1)),)


def _arg(kind: type[ArgMax] | type[ArgMin]) -> Rule:
    def rule(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
        x = source.input(0)
        axis = axis_of(source.options.integer("axis"), len(x.shape))
        last = source.options.integer("select_last_index")
        values = emit.one(Reverse((axis,)), (x,)) if last else x
        y = emit.one(kind(axis, keep_dims=True), (values,), DType.INT64)
        if last:
            y = emit.one(Sub(), (emit.like(x.shape[axis] - 1, y), y))
        return (_without(emit, y, (axis,), source.options.integer("keepdims", 1)),)

    return rule


# --- softmax --------------------------------------------------------------------------------------


def _softmax(kind: Attributes) -> Rule:
    def rule(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
        x, rank = source.input(0), len(source.input(0).shape)
        axis = axis_of(source.options.integer("axis", -1 if source.opset >= 13 else 1), rank)
        if source.opset < 13 and axis < rank - 1:
            # Everything from the axis on is one row.
            rows = reshaped(emit, x, math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))
            return (reshaped(emit, emit.one(kind, (rows,)), *x.shape),)
        order = (*(d for d in range(rank) if d != axis), axis)
        back = tuple(order.index(d) for d in range(rank))
        y = emit.one(kind, (transposed(emit, x, *order),))
        return (transposed(emit, y, *back),)

    return rule


# --- normalisations -------------------------------------------------------------------------------


def _batch_norm(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    """y = x * factor + term, channel by channel."""
    x = source.input(0)
    if source.options.integer("training_mode"):
        raise Refuse("training_mode is 1; supported: 0")
    scale, bias, mean, variance = (
        source.constant(i, what).astype(np.float64)
        for i, what in ((1, "the scale"), (2, "the bias"), (3, "the mean"), (4, "the variance"))
    )
    factor = scale / np.sqrt(variance + source.options.real("epsilon", 1e-5))
    shape = (1, -1, *(1,) * (len(x.shape) - 2)) if len(x.shape) > 1 else (-1,)
    scaled = emit.one(Mul(), (x, _real(emit, factor.reshape(shape), source.input(1))))
    return (
        emit.one(
            Add(), (scaled, _real(emit, (bias - mean * factor).reshape(shape), source.input(2)))
        ),
    )


def _real(emit: Emitter, data: np.typing.NDArray[np.float64], source: Tensor) -> Tensor:
    return emit.constant(data.astype(np.float32), source)


def normalised(emit: Emitter, x: Tensor, axes: tuple[int, ...], epsilon: float) -> Tensor:
    """(x - mean) / sqrt(variance + epsilon)."""
    centred, _, inverse = _standardised(emit, x, axes, epsilon)
    return emit.one(Mul(), (centred, inverse))


def _standardised(
    emit: Emitter, x: Tensor, axes: tuple[int, ...], epsilon: float
) -> tuple[Tensor, Tensor, Tensor]:
    """x - mean, the mean, 1 / sqrt(variance + epsilon)."""
    mean = emit.one(Mean(axes, keep_dims=True), (x,))
    centred = emit.one(Sub(), (x, mean))
    variance = emit.one(Mean(axes, keep_dims=True), (emit.one(Square(), (centred,)),))
    shifted = emit.one(Add(), (variance, emit.like(epsilon, x)))
    return centred, mean, emit.one(Rsqrt(), (shifted,))


def _instance_norm(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, rank = source.input(0), len(source.input(0).shape)
    y = normalised(emit, x, tuple(range(2, rank)), source.options.real("epsilon", 1e-5))
    scale, bias = (
        reshaped(emit, source.input(i), 1, x.shape[1], *(1,) * (rank - 2)) for i in (1, 2)
    )
    return (emit.one(Add(), (emit.one(Mul(), (y, scale)), bias)),)


def _layer_norm(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, rank = source.input(0), len(source.input(0).shape)
    axis = axis_of(source.options.integer("axis", -1), rank)
    epsilon = source.options.real("epsilon", 1e-5)
    centred, mean, inverse = _standardised(emit, x, tuple(range(axis, rank)), epsilon)
    y = emit.one(Mul(), (centred, inverse))
    y = emit.one(Mul(), aligned(emit, (y, source.input(1))))
    bias = source.optional(2)
    y = y if bias is None else emit.one(Add(), aligned(emit, (y, bias)))
    return y, mean, inverse


def _group_norm(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x, groups = source.input(0), source.options.integer("num_groups")
    if groups < 1 or x.shape[1] % groups:
        raise Refuse(f"{x.shape[1]} channels in {groups} groups")
    parts = reshaped(emit, x, x.shape[0], groups, -(-x.elements // (x.shape[0] * groups)))
    y = normalised(emit, parts, (2,), source.options.real("epsilon", 1e-5))
    per_group = source.opset < 21
    rest = (1,) * (len(x.shape) - 2)
    scale, bias = (_channels(emit, source.input(i), x.shape[1], rest, per_group) for i in (1, 2))
    y = reshaped(emit, y, *x.shape)
    return (emit.one(Add(), (emit.one(Mul(), (y, scale)), bias)),)


def _channels(
    emit: Emitter, value: Tensor, channels: int, rest: tuple[int, ...], per_group: bool
) -> Tensor:
    """One value per channel; before opset 21 the file has one per group."""
    if per_group and value.elements != channels:
        if not value.is_constant:
            raise Refuse("scale and bias per group are computed; supported: constants")
        value = emit.constant(np.repeat(value.constant, channels // value.elements), value)
    return reshaped(emit, value, 1, channels, *rest)


def _mean_variance(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    axes = tuple(axis_of(a, len(x.shape)) for a in source.options.integers("axes") or (0, 2, 3))
    return (normalised(emit, x, tuple(sorted(axes)), 1e-9),)


def _lp_norm(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    x = source.input(0)
    axis = axis_of(source.options.integer("axis", -1), len(x.shape))
    if source.options.integer("p", 2) == 1:
        total = emit.one(Sum((axis,), keep_dims=True), (emit.one(Abs(), (x,)),))
    else:
        squares = emit.one(Sum((axis,), keep_dims=True), (emit.one(Square(), (x,)),))
        total = emit.one(Sqrt(), (squares,))
    # Where the norm is 0 so are the values, and they stay 0.
    safe = emit.one(Maximum(), (total, emit.like(float(np.finfo(np.float32).tiny), x)))
    return (emit.one(Div(), (x, safe)),)


def _lrn(source: OnnxSource, emit: Emitter) -> tuple[Tensor, ...]:
    """x * (bias + alpha * mean of the squares of neighbouring channels) ^ -beta."""
    x, size, options = source.input(0), source.options.integer("size"), source.options
    if len(x.shape) != 4 or size < 1:
        raise Refuse(f"size {size} over {list(x.shape)}; supported: 4 dimensions")
    image = transposed(emit, x, *channels_last(4))
    border = (0, 0, 0, (size - 1) // 2), (0, 0, 0, size // 2)
    padded = emit.one(Pad(*border), (emit.one(Square(), (image,)),))
    rows = reshaped(emit, padded, 1, x.elements // x.shape[1], padded.shape[3], 1)
    means = reshaped(emit, emit.one(AveragePool2d(1, size), (rows,)), *image.shape)
    scaled = emit.one(Mul(), (means, emit.like(options.real("alpha", 1e-4), x)))
    strength = emit.one(Add(), (scaled, emit.like(options.real("bias", 1.0), x)))
    factor = emit.one(Pow(), (strength, emit.like(-options.real("beta", 0.75), x)))
    return (transposed(emit, emit.one(Mul(), (image, factor)), *channels_second(4)),)


_REAL = "float32"
_AXES = "float32, int32, int64; constant axes"
ALONG_AXES: Mapping[str, OnnxKind] = {
    "ReduceMean": OnnxKind(_reduce(Mean), _AXES),
    "ReduceSum": OnnxKind(_reduce(Sum, since=13), _AXES),
    "ReduceMax": OnnxKind(_reduce(ReduceMax), _AXES),
    "ReduceMin": OnnxKind(_reduce(ReduceMin), _AXES),
    "ReduceProd": OnnxKind(_reduce(ReduceProd), "float32, int32; constant axes"),
    "ReduceL1": OnnxKind(_reduce(Sum, Abs()), _AXES),
    "ReduceL2": OnnxKind(_reduce(Sum, Square(), Sqrt()), "float32; constant axes"),
    "ReduceSumSquare": OnnxKind(_reduce(Sum, Square()), "float32; constant axes"),
    "ReduceLogSum": OnnxKind(_reduce(Sum, None, Log()), "float32; constant axes"),
    "ReduceLogSumExp": OnnxKind(_log_sum_exp, "float32; constant axes"),
    "ArgMax": OnnxKind(_arg(ArgMax), "int8, uint8, int16, int32, float32"),
    "ArgMin": OnnxKind(_arg(ArgMin), "int8, uint8, int16, int32, float32"),
    "Softmax": OnnxKind(_softmax(Softmax()), "float32, any axis"),
    "LogSoftmax": OnnxKind(_softmax(LogSoftmax()), "float32, any axis"),
    "BatchNormalization": OnnxKind(_batch_norm, "float32; constant statistics"),
    "InstanceNormalization": OnnxKind(_instance_norm, _REAL),
    "LayerNormalization": OnnxKind(_layer_norm, _REAL),
    "GroupNormalization": OnnxKind(_group_norm, _REAL),
    "MeanVarianceNormalization": OnnxKind(_mean_variance, _REAL),
    "LpNormalization": OnnxKind(_lp_norm, _REAL),
    "LRN": OnnxKind(_lrn, "float32; 4 dimensions"),
}
