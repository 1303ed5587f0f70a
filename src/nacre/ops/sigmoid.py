"""LOGISTIC and TANH: the two sigmoids, which share their tables and their int16 arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor
from nacre.ops import transcendental
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import call_each, in_place, infer_same, refuse_scales, same_rows
from nacre.ops.kind import (
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    SourceNode,
    attributes,
    meaning,
    read,
)
from nacre.ops.lookup import Function, fixed_table, float_table, shared_table
from nacre.ops.table import TABLE_8, lower_table


@dataclass(frozen=True)
class Sigmoid(Attributes):
    # 8-bit tables come from float arithmetic, as in LiteRT; TFLite Micro's from fixed point.
    float_tables: bool = False


@dataclass(frozen=True)
class Logistic(Sigmoid):
    """1 / (1 + exp(-x))."""


@dataclass(frozen=True)
class Tanh(Sigmoid):
    """tanh(x)."""


@dataclass(frozen=True)
class SigmoidParams(Params):
    c_type: ClassVar[str] = "nacre_sigmoid_params_t"
    multiplier: int = meaning("x * multiplier / 2^shift is the input in steps of 1 / 12288")
    shift: int = meaning("see multiplier")


@dataclass(frozen=True)
class Curve:
    """What tells the two apart."""

    name: str
    real: Function
    # The same with every step in single precision, as tables are made.
    single: Function
    fixed: Function
    # Bits of the int8 output: its scale is 2^-bits.
    output_bits: int
    zero_points: Mapping[DType, int]
    # Powers of two by which an int16 input may exceed the scale 2^-12 and still be exact.
    exact_shifts: tuple[int, ...]
    kernel_s16: Kernel
    kernel_f32: Kernel


def _logistic(x: Array) -> Array:
    with np.errstate(over="ignore"):
        result: Array = 1.0 / (1.0 + np.exp(-x))
    return result


def _single_logistic(x: Array) -> Array:
    with np.errstate(over="ignore"):
        power = np.exp(-x).astype(np.float32)
    result: Array = np.float32(1) / (np.float32(1) + power)
    return result


def _tanh(x: Array) -> Array:
    result: Array = np.tanh(x)
    return result


LOGISTIC_CURVE = Curve(
    "logistic", _logistic, _single_logistic, transcendental.logistic, 8,
    {DType.INT8: -128, DType.UINT8: 0, DType.INT16: 0}, (0,),
    Kernel("nacre_logistic_s16", SigmoidParams), Kernel("nacre_logistic_f32"),
)  # fmt: skip
TANH_CURVE = Curve(
    "tanh", _tanh, _tanh, transcendental.tanh, 7,
    {DType.INT8: 0, DType.UINT8: 128, DType.INT16: 0}, (0, 1),
    Kernel("nacre_tanh_s16", SigmoidParams), Kernel("nacre_tanh_f32"),
)  # fmt: skip
CURVES: Mapping[type[Attributes], Curve] = {Logistic: LOGISTIC_CURVE, Tanh: TANH_CURVE}


def _curve(node: Node) -> Curve:
    return CURVES[type(node.operator.attributes)]


def _logistic_from_tflite(source: SourceNode) -> Imported:
    return Imported(Logistic(source.litert), inputs=(0,))


def _tanh_from_tflite(source: SourceNode) -> Imported:
    return Imported(Tanh(source.litert), inputs=(0,))


def _check(node: Node) -> str | None:
    x, y, curve = node.input(0), node.output, _curve(node)
    if x.dtype is not y.dtype or x.dtype not in (DType.FLOAT32, *curve.zero_points):
        return (
            f"input, output are {x.dtype.value}, {y.dtype.value}; "
            "supported: both int8, uint8, int16 or float32"
        )
    if x.dtype is DType.FLOAT32:
        return None
    return refuse_scales(node) or _check_quantization(x, y, curve)


def _check_quantization(x: Tensor, y: Tensor, curve: Curve) -> str | None:
    bits = 15 if y.dtype is DType.INT16 else curve.output_bits
    point = curve.zero_points[y.dtype]
    if abs(math.log2(y.q.scale) + bits) >= 1e-3 or y.q.zero_point != point:
        return (
            f"the output has scale {y.q.scale:g} and zero point {y.q.zero_point}; "
            f"supported: {2.0**-bits:g} and {point}"
        )
    if x.dtype is not DType.INT16:
        return None
    if x.q.zero_point != 0:
        return f"the int16 input has zero point {x.q.zero_point}; supported: 0"
    if x.q.scale * 12288 > 32767:
        return f"the int16 input has scale {x.q.scale:g}; supported: up to {32767 / 12288:g}"
    return None


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, curve = values[0], _curve(node)
    assert x is not None
    if x.dtype == np.float32:
        return (curve.real(x.astype(np.float64)).astype(np.float32),)
    if x.dtype == np.int16:
        scaled = scaled_int16(x, *input_scaling(node.input(0), curve))
        return (INT16_FUNCTIONS[curve.name](scaled),)
    return (_by_table(_table(node), x),)


def _by_table(table: Array, x: Array) -> Array:
    found: Array = table[np.ascontiguousarray(x).view(np.uint8)]
    return found.reshape(x.shape)


def _table(node: Node) -> Array:
    """The 256 results of an 8-bit sigmoid. uint8 exists in LiteRT alone."""
    x, y, curve = node.input(0), node.output, _curve(node)
    if attributes(node, Sigmoid).float_tables or x.dtype is DType.UINT8:
        return float_table(x, y, curve.single)
    return fixed_table(x, y, curve.fixed, curve.output_bits, y.q.zero_point)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    x, y, curve = node.input(0), node.output, _curve(node)
    if x.dtype is DType.FLOAT32:
        return Lowered((call_each(curve.kernel_f32, x, y),))
    if x.dtype is not DType.INT16:
        return lower_table(node, curve.name, partial(_by_table, _table(node)))
    table = shared_table("sigmoid", SIGMOID_TABLE)
    multiplier, shift = input_scaling(x, curve)
    params = SigmoidParams(multiplier=multiplier, shift=shift)
    return Lowered((call_each(curve.kernel_s16, x, y, read(table), params),), (table,))


# --- int16 ------------------------------------------------------------------------------------


def _sigmoid_table() -> Array:
    """1 / (1 + exp(-i / 24)) in steps of 2^-16, between which int16 inputs are interpolated.

    Chords run below the curve: every entry is raised by half the error in the middle. The last
    is the largest number, where saturation begins.
    """
    i = np.arange(256)
    curve = 65536 * _logistic(np.stack([i, i + 0.5, i + 1]) / 24)
    error = curve[1] - (curve[0] + curve[2]) / 2
    raised = np.floor(curve[0] + error / 2 + 0.5)
    return np.append(raised[:255], 65535).astype(np.uint16)


SIGMOID_TABLE = _sigmoid_table()


def input_scaling(x: Tensor, curve: Curve) -> tuple[int, int]:
    """Multiplier and right shift that bring an int16 input to steps of 1 / 12288."""
    power = math.log2(x.q.scale)
    excess = round(power) + 12
    if abs(power - round(power)) < 1e-3 and excess in curve.exact_shifts:
        return 3 << excess, 0
    multiplier, shift = x.q.scale * 12288.0, 0
    while multiplier <= 32767 / 2 and shift <= 30:
        multiplier, shift = multiplier * 2, shift + 1
    return int(multiplier), shift


def scaled_int16(x: Array, multiplier: int, shift: int) -> Array:
    half = (1 << shift) >> 1
    return (x.astype(np.int64) * multiplier + half) >> shift


def _interpolated(magnitude: Array, bits: int, largest: int) -> Array:
    """The table at magnitude / 2^bits, times 2^bits; `largest` beyond its end."""
    index = np.minimum(magnitude >> bits, 255)
    inside = index < 255
    low = SIGMOID_TABLE[index].astype(np.int64)
    high = SIGMOID_TABLE[np.minimum(index + 1, 255)].astype(np.int64)
    part = magnitude & ((1 << bits) - 1)
    return np.where(inside, (low << bits) + part * (high - low), largest)


def logistic_int16(scaled: Array) -> Array:
    """Q0.15 results for inputs in steps of 1 / 12288."""
    value = _interpolated(np.abs(scaled), 9, 0x7FFF << 10)
    signed = np.where(scaled >= 0, value + (1 << 9), (1 << 25) - value + (1 << 9) - 1)
    return (signed >> 10).astype(np.int16)


def tanh_int16(scaled: Array) -> Array:
    """Q0.15 results for inputs in steps of 1 / 12288."""
    value = _interpolated(np.abs(scaled), 8, 0xFFFF << 8) - (1 << 23)
    signed = np.where(scaled >= 0, value + (1 << 7), -value + (1 << 7) - 1)
    return (signed >> 8).astype(np.int16)


INT16_FUNCTIONS: Mapping[str, Function] = {"logistic": logistic_int16, "tanh": tanh_int16}


# --- the rows ---------------------------------------------------------------------------------


_SUPPORTS = (
    "int8 and uint8 by a table of 256 bytes",
    "int16 with zero point 0",
    "float32",
)

LOGISTIC = OpKind(
    type="LOGISTIC",
    attributes=Logistic,
    summary="1 / (1 + exp(-x)).",
    supports=_SUPPORTS,
    tflite={"LOGISTIC": _logistic_from_tflite},
    infer=infer_same,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(TABLE_8, LOGISTIC_CURVE.kernel_s16, LOGISTIC_CURVE.kernel_f32),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
)
TANH = OpKind(
    type="TANH",
    attributes=Tanh,
    summary="Hyperbolic tangent.",
    supports=_SUPPORTS,
    tflite={"TANH": _tanh_from_tflite},
    infer=infer_same,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(TABLE_8, TANH_CURVE.kernel_s16, TANH_CURVE.kernel_f32),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
)
