"""QUANTIZE, DEQUANTIZE: between real numbers and quantized ones, and between quantizations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import (
    call_each,
    in_place,
    infer_same,
    plain_rule,
    refuse_types,
    same_rows,
    value,
)
from nacre.ops.fixedpoint import quantize_multiplier, requantize, saturate
from nacre.ops.kind import (
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    attributes,
    meaning,
    real_meaning,
)
from nacre.ops.table import TABLE_8, lower_table, table_pays


@dataclass(frozen=True)
class Quantize(Attributes):
    """To the output's scale and zero point, from real numbers or from another quantization."""

    # Real numbers halfway between two steps go to the even one (ONNX), not away from zero (TFLite).
    to_even: bool = False


@dataclass(frozen=True)
class Dequantize(Attributes):
    """To real numbers."""


@dataclass(frozen=True)
class QuantizeParams(Params):
    c_type: ClassVar[str] = "nacre_quantize_params_t"
    scale: float = real_meaning("scale of the output")
    zero_point: int = meaning("zero point of the output")
    low: int = meaning("lower clamp")
    high: int = meaning("upper clamp")
    to_even: int = meaning("1: ties to even, 0: away from zero")


@dataclass(frozen=True)
class DequantizeParams(Params):
    c_type: ClassVar[str] = "nacre_dequantize_params_t"
    scale: float = real_meaning("scale of the input")
    zero_point: int = meaning("zero point of the input")


@dataclass(frozen=True)
class RequantizeParams(Params):
    c_type: ClassVar[str] = "nacre_requantize_params_t"
    input_offset: int = meaning("minus the zero point of the input")
    multiplier: int = meaning("fraction of the multiplier")
    shift: int = meaning("power of two of the multiplier")
    output_offset: int = meaning("zero point of the output")
    low: int = meaning("lower clamp")
    high: int = meaning("upper clamp")


INT8, UINT8, INT16, INT32 = DType.INT8, DType.UINT8, DType.INT16, DType.INT32
FLOAT16, FLOAT32 = DType.FLOAT16, DType.FLOAT32
SUFFIX = {INT8: "s8", UINT8: "u8", INT16: "s16", INT32: "s32"}
TO_INTEGER = {
    t: Kernel(f"nacre_quantize_f32_{SUFFIX[t]}", QuantizeParams) for t in (INT8, UINT8, INT16)
}
TO_REAL = {
    t: Kernel(f"nacre_dequantize_{SUFFIX[t]}_f32", DequantizeParams) for t in (INT8, UINT8, INT16)
}
HALF_TO_REAL = Kernel("nacre_cast_f16_f32")
PAIRS = (
    (INT8, INT8), (INT8, UINT8), (INT8, INT16), (INT8, INT32),
    (UINT8, INT8), (UINT8, UINT8), (UINT8, INT16),
    (INT16, INT8), (INT16, INT16), (INT16, INT32),
    (INT32, INT8), (INT32, INT16),
)  # fmt: skip
REQUANTIZE = {
    (a, b): Kernel(f"nacre_requantize_{SUFFIX[a]}_{SUFFIX[b]}", RequantizeParams) for a, b in PAIRS
}


def quantize_real(x: Array, y: Tensor, to_even: bool = False) -> Array:
    """round(x / scale) + zero point, ties away from zero; not a number gives the lowest."""
    low, high = y.dtype.range
    scaled = (x.astype(np.float32) / np.float32(y.q.scale)).astype(np.float64)
    away = np.copysign(np.floor(np.abs(scaled) + 0.5), scaled)
    rounded = (np.rint(scaled) if to_even else away) + y.q.zero_point
    inside: Array = np.clip(np.nan_to_num(rounded, nan=low), low, high)
    return inside.astype(y.dtype.numpy)


def dequantize(x: Array, quantized: Tensor) -> Array:
    """scale * (x - zero point), per tensor or along an axis."""
    q = quantized.q
    shape = [1] * x.ndim
    if q.per_channel:
        shape[q.axis] = len(q.scales)
    scales = np.array(q.scales, np.float64).reshape(shape if q.per_channel else ())
    points = np.array(q.zero_points[: len(q.scales)], np.int64).reshape(scales.shape)
    return (scales * (x.astype(np.int64) - points)).astype(np.float32)


# --- QUANTIZE -----------------------------------------------------------------------------------


def _check_quantize(node: Node) -> str | None:
    x, y = node.input(0), node.output
    if y.quantization is None or y.q.per_channel:
        found = "no scale" if y.quantization is None else f"{len(y.q.scales)} scales"
        return f"the output has {found}; supported: one"
    if x.dtype is not FLOAT32 and (x.quantization is None or x.q.per_channel):
        found = "no scale" if x.quantization is None else f"{len(x.q.scales)} scales"
        return f"the input has {found}; supported: one"
    return refuse_types(node, [*((FLOAT32, t) for t in TO_INTEGER), *PAIRS])


def _quantize_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, y = value(values, 0), node.output
    if node.input(0).dtype is FLOAT32:
        return (quantize_real(x, y, attributes(node, Quantize).to_even),)
    return (requantized(x, node.input(0), y, y.dtype.range),)


def requantized(
    x: Array, source: Tensor, y: Tensor, limits: tuple[int, int], real: float | None = None
) -> Array:
    """From one quantization to another by the multiplier `real` (default: the scales' ratio)."""
    real = source.q.scale / y.q.scale if real is None else real
    centred = (x.astype(np.int64) - source.q.zero_point).astype(np.int32)
    scaled = requantize(centred, *quantize_multiplier(real)) + y.q.zero_point
    return saturate(scaled, y.dtype, *limits)


def _lower_quantize(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    if x.dtype is not FLOAT32:
        return lower_requantize(node, y.dtype.range)
    to_even = int(attributes(node, Quantize).to_even)
    params = QuantizeParams(y.q.scale, y.q.zero_point, *y.dtype.range, to_even)
    return Lowered((call_each(TO_INTEGER[y.dtype], x, y, params),))


def lower_requantize(node: Node, limits: tuple[int, int], real: float | None = None) -> Lowered:
    """Change of scale, clamped: a table where that pays, else arithmetic."""
    x, y = node.input(0), node.output
    if table_pays(x, y):
        return lower_table(
            node, "requantization", lambda codes: requantized(codes, x, y, limits, real)
        )
    real = x.q.scale / y.q.scale if real is None else real
    params = RequantizeParams(-x.q.zero_point, *quantize_multiplier(real), y.q.zero_point, *limits)
    return Lowered((call_each(REQUANTIZE[x.dtype, y.dtype], x, y, params),))


# --- DEQUANTIZE ---------------------------------------------------------------------------------


def _check_dequantize(node: Node) -> str | None:
    x = node.input(0)
    if x.dtype in TO_REAL and x.quantization is None:
        return f"the input is {x.dtype.value} without a scale; supported: with one"
    if x.dtype in TO_REAL and x.q.per_channel and not x.is_constant:
        return f"the input has {len(x.q.scales)} scales; supported: one, or a constant"
    return refuse_types(node, [(t, FLOAT32) for t in (*TO_REAL, FLOAT16)])


def _dequantize_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = value(values, 0)
    if node.input(0).dtype is FLOAT16:
        return (x.astype(np.float32),)
    return (dequantize(x, node.input(0)),)


def _lower_dequantize(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    if x.dtype is FLOAT16:
        return Lowered((call_each(HALF_TO_REAL, x, y),))
    params = DequantizeParams(x.q.scale, x.q.zero_point)
    return Lowered((call_each(TO_REAL[x.dtype], x, y, params),))


QUANTIZE = OpKind(
    type="QUANTIZE",
    attributes=Quantize,
    summary="Change to another scale and zero point, from real numbers or from quantized ones.",
    supports=(
        "float32 to int8, uint8, int16",
        "int8 to int8, uint8, int16, int32; uint8 to int8, uint8, int16",
        "int16 to int8, int16, int32; int32 to int8, int16",
    ),
    tflite={"QUANTIZE": plain_rule(Quantize(), 1)},
    infer=infer_same,
    check=_check_quantize,
    reference=_quantize_reference,
    lower=_lower_quantize,
    kernels=(*TO_INTEGER.values(), *REQUANTIZE.values(), TABLE_8),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
)
DEQUANTIZE = OpKind(
    type="DEQUANTIZE",
    attributes=Dequantize,
    summary="Change to real numbers.",
    supports=(
        "int8, uint8, int16 with one scale, constants also with one per channel, to float32",
        "float16 to float32",
    ),
    tflite={"DEQUANTIZE": plain_rule(Dequantize(), 1)},
    infer=infer_same,
    check=_check_dequantize,
    reference=_dequantize_reference,
    lower=_lower_dequantize,
    kernels=(*TO_REAL.values(), HALF_TO_REAL),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
)
