"""What convolution, depthwise and transposed convolution share: types, windows, numpy reference.

x is input 0, the weights are input 1, the bias is input 2 or absent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape
from nacre.ops.boxes import bias_cut, boxed, is_whole
from nacre.ops.fixedpoint import (
    activation_range,
    channel_multipliers,
    float_activation_range,
    quantize_multiplier,
    requantize,
    requantize_wide,
    saturate,
    single_multiplier,
    wide_objection,
)
from nacre.ops.hybrid import quantize_rows
from nacre.ops.kind import Box, Boxed, Span
from nacre.ops.window import Axis

# --- arithmetic ---------------------------------------------------------------------------------


class Arithmetic(Enum):
    """How a convolution computes; the value is the sentence of the operator page."""

    S8 = "int8 with int8 weights per tensor or per channel"
    S16 = "int16 with int8 weights per tensor or per channel, int64 or int32 bias"
    U8 = "uint8 with uint8 weights of any zero point, per tensor"
    F32 = "float32"
    HYBRID = "float32 with int8 weights; the input is quantized at run time"


ARITHMETICS: Mapping[tuple[DType, DType, DType], Arithmetic] = {
    (DType.INT8, DType.INT8, DType.INT8): Arithmetic.S8,
    (DType.INT16, DType.INT8, DType.INT16): Arithmetic.S16,
    (DType.UINT8, DType.UINT8, DType.UINT8): Arithmetic.U8,
    (DType.FLOAT32, DType.FLOAT32, DType.FLOAT32): Arithmetic.F32,
    (DType.FLOAT32, DType.INT8, DType.FLOAT32): Arithmetic.HYBRID,
}

_BIAS_TYPES: Mapping[Arithmetic, tuple[DType, ...]] = {
    Arithmetic.S8: (DType.INT32,),
    Arithmetic.S16: (DType.INT64, DType.INT32),
    Arithmetic.U8: (DType.INT32,),
    Arithmetic.F32: (DType.FLOAT32,),
    Arithmetic.HYBRID: (DType.FLOAT32,),
}


def arithmetic(node: Node) -> Arithmetic:
    return ARITHMETICS[_types(node)]


def _types(node: Node) -> tuple[DType, DType, DType]:
    return node.input(0).dtype, node.input(1).dtype, node.output.dtype


def objection(node: Node, allowed: tuple[Arithmetic, ...], channels: int) -> str | None:
    """What is wrong with the tensors of a convolution that has `channels` outputs."""
    w, bias = node.input(1), node.optional(2)
    if not w.is_constant or (bias is not None and not bias.is_constant):
        return "weights or bias are computed at run time; supported: constants"
    found = ARITHMETICS.get(_types(node))
    if found not in allowed or found is None:
        names = ", ".join(t.value for t in _types(node))
        wanted = "; ".join(a.value for a in allowed)
        return f"input, weights, output are {names}; supported: {wanted}"
    if bias is not None and (bias.dtype not in _BIAS_TYPES[found] or bias.elements != channels):
        wanted = " or ".join(t.value for t in _BIAS_TYPES[found])
        return (
            f"the bias is {bias.dtype.value} {list(bias.shape)}; supported: {wanted} [{channels}]"
        )
    return _quantization_objection(node, found)


def _quantization_objection(node: Node, found: Arithmetic) -> str | None:
    x, w, y = node.input(0), node.input(1), node.output
    if found is Arithmetic.F32:
        return None
    quantized = (w,) if found is Arithmetic.HYBRID else (x, w, y)
    missing = [t for t in quantized if t.quantization is None]
    if missing:
        return (
            f'"{missing[0].name}" is {missing[0].dtype.value} without a scale; supported: with one'
        )
    points = set(w.q.zero_points)
    if found is Arithmetic.U8:
        return "the weights have several scales; supported: one" if w.q.per_channel else None
    if points != {0}:
        return f"the weights have the zero point {max(points, key=abs)}; supported: 0"
    if found is Arithmetic.S16:
        return _wide_objection(node)
    return None


def _wide_objection(node: Node) -> str | None:
    x, w, y = node.input(0), node.input(1), node.output
    for name, tensor in (("input", x), ("output", y)):
        if tensor.q.zero_point != 0:
            return f"the {name} has the zero point {tensor.q.zero_point}; supported: 0"
    return wide_objection(x.q.scale * max(w.q.scales) / y.q.scale)


# --- the window ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sliding(Attributes):
    """A window that slides over rows and columns; the base of the operators that have one."""

    stride_h: int = 1
    stride_w: int = 1
    dilation_h: int = 1
    dilation_w: int = 1
    pad_top: int = 0
    pad_left: int = 0
    pad_bottom: int = 0
    pad_right: int = 0
    activation: str = "NONE"
    # The input offset is already in the bias, so padding reads the zero point.
    offset_in_bias: bool = False
    # Sums are rounded once (ONNX Runtime), not twice (TFLite).
    once: bool = False


@dataclass(frozen=True)
class Spreading(Attributes):
    """The base of the operators that add each input to several outputs."""

    output_h: int
    output_w: int
    stride_h: int = 1
    stride_w: int = 1
    pad_top: int = 0
    pad_left: int = 0
    activation: str = "NONE"
    # Sums are rounded once (ONNX Runtime), not twice (TFLite).
    once: bool = False


def axes(conv: Sliding, x: Shape, w: Shape) -> tuple[Axis, Axis]:
    """Rows and columns; weights are [_, kernel_h, kernel_w, _]."""
    return (
        Axis(x[1], w[1], conv.stride_h, conv.dilation_h, conv.pad_top, conv.pad_bottom),
        Axis(x[2], w[2], conv.stride_w, conv.dilation_w, conv.pad_left, conv.pad_right),
    )


def sliding_rows(conv: Sliding, node: Node, out: Span) -> tuple[Span | None, ...]:
    """Rows needed; quantizing the input at run time needs all of it."""
    if arithmetic(node) is Arithmetic.HYBRID:
        return (None, None, None)
    rows, _ = axes(conv, node.input(0).shape, node.input(1).shape)
    return (rows.needs(out), None, None)


def sliding_box(conv: Sliding, node: Node, box: Box, channels: Span, weights: Box) -> Boxed | None:
    """The convolution of a box of the output by a box of the weights; `channels` of the input."""
    if arithmetic(node) is Arithmetic.HYBRID and not _is_hybrid_box(node, box, channels):
        return None
    down, across = axes(conv, node.input(0).shape, node.input(1).shape)
    rows, top, bottom = down.cut(box[1])
    columns, left, right = across.cut(box[2])
    small = replace(conv, pad_top=top, pad_left=left, pad_bottom=bottom, pad_right=right)
    cuts = [(0, (box[0], rows, columns, channels)), (1, weights), bias_cut(node, box[3])]
    return boxed(node, box, cuts[: len(node.inputs)], small)


def _is_hybrid_box(node: Node, box: Box, channels: Span) -> bool:
    """Quantizing the input at run time needs all of it; several scales must not become one."""
    x, y = node.input(0).shape, node.output.shape
    spans = (*box[1:3], channels)
    all_read = all(is_whole(s, n) for s, n in zip(spans, (*y[1:3], x[3]), strict=True))
    return all_read and (box[3].size > 1 or not node.input(1).q.per_channel)


# --- reference ----------------------------------------------------------------------------------

# x (zero stands for zero, integers or float64), weights likewise -> sums without the bias.
Accumulate = Callable[[Array, Array], Array]


def evaluate(
    node: Node, values: tuple[Array | None, ...], activation: str, accumulate: Accumulate
) -> Array:
    """The output of a convolution whose sums `accumulate` computes, exactly for integers."""
    x, w = values[0], values[1]
    assert x is not None and w is not None
    bias = values[2].reshape(-1) if len(values) > 2 and values[2] is not None else None
    kind = arithmetic(node)
    if kind is Arithmetic.HYBRID:
        return _evaluate_hybrid(node, x, w, bias, activation, accumulate)
    if kind is Arithmetic.F32:
        sums = accumulate(x.astype(np.float64), w.astype(np.float64))
        return _activate(sums if bias is None else sums + bias, activation)
    # Sums of products stay far below 2^53, so float64 is exact and fast.
    centred = x.astype(np.float64) - node.input(0).q.zero_point
    weights = w.astype(np.float64) - node.input(1).q.zero_points[0]
    acc = accumulate(centred, weights).astype(np.int64)
    return scale_sums(node, acc if bias is None else acc + bias.astype(np.int64), activation)


def scale_sums(node: Node, acc: Array, activation: str) -> Array:
    """Integer accumulators to outputs."""
    y = node.output
    multiplier, shift = multipliers(node)
    if rounds_once(node):
        # Results that 32 bits do not hold wrap, there as here.
        scaled = requantize_wide(acc, multiplier, shift).astype(np.int32)
    else:
        scaled = requantize(acc.astype(np.int32), multiplier, shift) + y.q.zero_point
    return saturate(scaled, y.dtype, *activation_range(activation, y))


def rounds_once(node: Node) -> bool:
    """64-bit accumulators: int16, unless a 32-bit bias asks for 32-bit ones."""
    bias = node.optional(2)
    wide = bias is None or bias.dtype is DType.INT64
    return arithmetic(node) is Arithmetic.S16 and wide


def multipliers(node: Node) -> tuple[Array, Array]:
    """int32 multiplier and shift per output channel."""
    x, w, y = node.input(0), node.input(1), node.output
    if arithmetic(node) is not Arithmetic.U8:
        return channel_multipliers(x, w, y, y.shape[3], _asks_for_one_rounding(node))
    # LiteRT multiplies the two scales in single precision here.
    product = float(np.float32(x.q.scale) * np.float32(w.q.scale))
    pair = quantize_multiplier(product / y.q.scale)
    if _asks_for_one_rounding(node):
        pair = single_multiplier(x.q.scale * w.q.scale / y.q.scale)
    table = np.array([pair] * y.shape[3], np.int32)
    return table[:, 0], table[:, 1]


def _asks_for_one_rounding(node: Node) -> bool:
    conv = node.operator.attributes
    return isinstance(conv, Sliding | Spreading) and conv.once and not rounds_once(node)


def is_asymmetric(node: Node) -> bool:
    """Whether a hybrid layer quantizes its input with a zero point: only CONV_2D with one scale
    does without."""
    return node.input(1).q.per_channel or node.operator.type != "CONV_2D"


def _evaluate_hybrid(
    node: Node,
    x: Array,
    w: Array,
    bias: Array | None,
    activation: str,
    accumulate: Accumulate,
) -> Array:
    codes, scales, points = quantize_rows(x.reshape(len(x), -1), is_asymmetric(node))
    centred = codes.astype(np.float64) - points[:, None]
    acc = accumulate(centred.reshape(x.shape), w.astype(np.float64))
    factors = scales[:, None] * np.array(node.input(1).q.scales, np.float32)
    sums = acc.astype(np.float32) * factors[:, None, None, :]
    return _activate(sums if bias is None else sums + bias, activation)


def _activate(sums: Array, activation: str) -> Array:
    low, high = float_activation_range(activation)
    return np.clip(sums.astype(np.float32), np.float32(low), np.float32(high))
