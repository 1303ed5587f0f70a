"""RELU, RELU6, RELU_N1_TO_1, RELU_0_TO_1, LEAKY_RELU, PRELU: lines that are cut or bent."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Shape, Tensor
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import (
    FloatRange,
    IntegerRange,
    call_broadcast,
    call_each,
    in_place,
    infer_same,
    plain_rule,
    refuse_dimensions,
    refuse_scales,
    refuse_types,
    same_rows,
    value,
)
from nacre.ops.fixedpoint import quantize_multiplier, requantize, saturate
from nacre.ops.kind import (
    Imported,
    ImportRule,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    Params,
    Refuse,
    SourceNode,
    attributes,
    meaning,
)
from nacre.ops.quantize import REQUANTIZE, lower_requantize, requantized
from nacre.ops.table import TABLE_8, lower_table

INT8, UINT8, INT16, FLOAT32 = DType.INT8, DType.UINT8, DType.INT16, DType.FLOAT32


@dataclass(frozen=True)
class Clamped(Attributes):
    """min(max(x, lower), upper)."""

    lower: ClassVar[float]
    upper: ClassVar[float]
    # Multipliers are quotients of float32 numbers (LiteRT), not of float64.
    single: bool = False


@dataclass(frozen=True)
class Relu(Clamped):
    lower: ClassVar[float] = 0.0
    upper: ClassVar[float] = math.inf


@dataclass(frozen=True)
class Relu6(Clamped):
    lower: ClassVar[float] = 0.0
    upper: ClassVar[float] = 6.0


@dataclass(frozen=True)
class ReluN1To1(Clamped):
    lower: ClassVar[float] = -1.0
    upper: ClassVar[float] = 1.0


@dataclass(frozen=True)
class Relu0To1(Clamped):
    lower: ClassVar[float] = 0.0
    upper: ClassVar[float] = 1.0


@dataclass(frozen=True)
class LeakyRelu(Attributes):
    """x where it is positive, else alpha * x."""

    alpha: float = 0.0
    single: bool = False


@dataclass(frozen=True)
class Prelu(Attributes):
    """x where it is positive, else alpha * x with alpha the second input."""


@dataclass(frozen=True)
class LeakyReluParams(Params):
    c_type: ClassVar[str] = "nacre_leaky_relu_params_t"
    input_offset: int = meaning("minus the zero point of the input")
    positive_multiplier: int = meaning("fraction of the multiplier of positive values")
    positive_shift: int = meaning("its power of two")
    negative_multiplier: int = meaning("fraction of the multiplier of negative values")
    negative_shift: int = meaning("its power of two")
    output_offset: int = meaning("zero point of the output")


@dataclass(frozen=True)
class PreluParams(Params):
    c_type: ClassVar[str] = "nacre_prelu_params_t"
    input_offset: int = meaning("minus the zero point of the input")
    alpha_offset: int = meaning("minus the zero point of the slopes")
    positive_multiplier: int = meaning("fraction of the multiplier of positive values")
    positive_shift: int = meaning("its power of two")
    negative_multiplier: int = meaning("fraction of the multiplier of negative values")
    negative_shift: int = meaning("its power of two")
    output_offset: int = meaning("zero point of the output")
    low: int = meaning("lower clamp")
    high: int = meaning("upper clamp")


CLAMP = {
    INT8: Kernel("nacre_clamp_s8", IntegerRange),
    UINT8: Kernel("nacre_clamp_u8", IntegerRange),
    INT16: Kernel("nacre_clamp_s16", IntegerRange),
}
RELU_F32 = Kernel("nacre_relu_f32", FloatRange)
LEAKY_S16 = Kernel("nacre_leaky_relu_s16", LeakyReluParams)
LEAKY_F32 = Kernel("nacre_leaky_relu_f32")
PRELU_KERNELS = {
    INT8: Kernel("nacre_prelu_s8", PreluParams),
    UINT8: Kernel("nacre_prelu_u8", PreluParams),
    FLOAT32: Kernel("nacre_prelu_f32"),
}


def _quotient(a: float, b: float, single: bool) -> float:
    return float(np.float32(a) / np.float32(b)) if single else a / b


# --- RELU and its kin ---------------------------------------------------------------------------


def _from_tflite(kind: type[Clamped]) -> ImportRule:
    def rule(source: SourceNode) -> Imported:
        return Imported(kind(source.litert), (0,))

    return rule


def _check(node: Node) -> str | None:
    return refuse_types(node, [(t, t) for t in (*CLAMP, FLOAT32)]) or refuse_scales(node)


def limits(kind: Clamped, y: Tensor) -> tuple[int, int]:
    """The bounds in the output's quantization, cut to its type."""
    low, high = y.dtype.range
    lower = max(low, y.q.zero_point + _steps(kind.lower, y.q.scale))
    if math.isinf(kind.upper):
        return lower, high
    return lower, min(high, y.q.zero_point + _steps(kind.upper, y.q.scale))


def _steps(real: float, scale: float) -> int:
    """real / scale in float32, rounded, ties away from zero; at most 2^31 either way."""
    with np.errstate(over="ignore"):
        quotient = float(np.float32(real) / np.float32(scale))
    steps = math.floor(min(abs(quotient), float(1 << 31)) + 0.5)
    return int(math.copysign(steps, quotient))


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    kind, x, y = attributes(node, Clamped), value(values, 0), node.output
    if y.dtype is FLOAT32:
        return (np.clip(x, np.float32(kind.lower), np.float32(kind.upper)),)
    real = _quotient(node.input(0).q.scale, y.q.scale, kind.single)
    return (requantized(x, node.input(0), y, limits(kind, y), real),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    kind, x, y = attributes(node, Clamped), node.input(0), node.output
    if y.dtype is FLOAT32:
        return Lowered((call_each(RELU_F32, x, y, FloatRange(kind.lower, kind.upper)),))
    if x.q.scale == y.q.scale and x.q.zero_point == y.q.zero_point:
        return Lowered((call_each(CLAMP[y.dtype], x, y, IntegerRange(*limits(kind, y))),))
    return lower_requantize(node, limits(kind, y), _quotient(x.q.scale, y.q.scale, kind.single))


# --- LEAKY_RELU ---------------------------------------------------------------------------------


def _leaky_from_tflite(source: SourceNode) -> Imported:
    # On int16 the float64 multipliers of TFLite Micro miss the published vectors.
    single = source.litert or source.input(0).dtype is INT16
    return Imported(LeakyRelu(source.options.real("alpha"), single), (0,))


def _leaky_multipliers(node: Node) -> tuple[tuple[int, int], tuple[int, int]]:
    kind, x, y = attributes(node, LeakyRelu), node.input(0).q.scale, node.output.q.scale
    alpha = np.float32(kind.alpha)
    with np.errstate(over="ignore"):
        bent = float(np.float32(x) * alpha) if kind.single else x * float(alpha)
    return (
        quantize_multiplier(_quotient(x, y, kind.single)),
        _signed_multiplier(_quotient(bent, y, kind.single)),
    )


def _signed_multiplier(real: float) -> tuple[int, int]:
    multiplier, shift = quantize_multiplier(abs(real))
    return (-multiplier if real < 0 else multiplier), shift


def _leaky_values(node: Node, x: Array) -> Array:
    source, y = node.input(0), node.output
    positive, negative = _leaky_multipliers(node)
    centred = x.astype(np.int64) - source.q.zero_point
    scaled = np.where(centred >= 0, requantize(centred, *positive), requantize(centred, *negative))
    return saturate(scaled + y.q.zero_point, y.dtype)


def _leaky_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = value(values, 0)
    if node.output.dtype is FLOAT32:
        alpha = np.float32(attributes(node, LeakyRelu).alpha)
        return (np.where(x > 0, x, x * alpha),)
    return (_leaky_values(node, x),)


def _lower_leaky(node: Node, options: LowerOptions) -> Lowered:
    kind, x, y = attributes(node, LeakyRelu), node.input(0), node.output
    if y.dtype is FLOAT32:
        return Lowered((call_each(LEAKY_F32, x, y, float(np.float32(kind.alpha))),))
    if y.dtype is not INT16:
        return lower_table(node, "leaky ReLU", lambda codes: _leaky_values(node, codes))
    positive, negative = _leaky_multipliers(node)
    params = LeakyReluParams(-x.q.zero_point, *positive, *negative, y.q.zero_point)
    return Lowered((call_each(LEAKY_S16, x, y, params),))


# --- PRELU --------------------------------------------------------------------------------------


def _infer_prelu(kind: Attributes, inputs: tuple[Tensor | None, ...]) -> tuple[Shape, ...]:
    x, alpha = inputs[0], inputs[1]
    assert x is not None and alpha is not None
    aligned = (1,) * (len(x.shape) - len(alpha.shape)) + alpha.shape
    if len(aligned) != len(x.shape) or any(
        a not in (1, d) for a, d in zip(aligned, x.shape, strict=True)
    ):
        raise Refuse(f"slopes {list(alpha.shape)} do not stretch to the input {list(x.shape)}")
    return (x.shape,)


def _check_prelu(node: Node) -> str | None:
    return (
        refuse_types(node, [(t, t, t) for t in PRELU_KERNELS])
        or refuse_scales(node)
        or refuse_dimensions(node)
    )


def _prelu_multipliers(node: Node) -> tuple[tuple[int, int], tuple[int, int]]:
    x, alpha, y = node.input(0).q.scale, node.input(1).q.scale, node.output.q.scale
    return quantize_multiplier(x / y), quantize_multiplier(x * alpha / y)


def _prelu_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x, alpha, y = value(values, 0), value(values, 1), node.output
    if y.dtype is FLOAT32:
        return (np.where(x >= 0, x, x * alpha),)
    positive, negative = _prelu_multipliers(node)
    centred = x.astype(np.int64) - node.input(0).q.zero_point
    slope = alpha.astype(np.int64) - node.input(1).q.zero_point
    scaled = np.where(
        centred >= 0, requantize(centred, *positive), requantize(centred * slope, *negative)
    )
    return (saturate(scaled + y.q.zero_point, y.dtype),)


def _lower_prelu(node: Node, options: LowerOptions) -> Lowered:
    x, alpha, y = node.input(0), node.input(1), node.output
    params: tuple[Params, ...] = ()
    if y.dtype is not FLOAT32:
        positive, negative = _prelu_multipliers(node)
        params = (
            PreluParams(
                -x.q.zero_point, -alpha.q.zero_point, *positive, *negative, y.q.zero_point,
                *y.dtype.range,
            ),
        )  # fmt: skip
    return Lowered((call_broadcast(PRELU_KERNELS[y.dtype], x, alpha, y, *params),))


RELU = OpKind(
    type="RELU",
    attributes=Relu,
    summary="max(x, 0).",
    supports=("float32", "int8, uint8, int16, also to another scale"),
    tflite={"RELU": _from_tflite(Relu)},
    infer=infer_same,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(
        *CLAMP.values(), RELU_F32, TABLE_8,
        *(REQUANTIZE[t, t] for t in CLAMP),
    ),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
)  # fmt: skip
RELU6 = replace(
    RELU,
    type="RELU6",
    attributes=Relu6,
    summary="min(max(x, 0), 6).",
    tflite={"RELU6": _from_tflite(Relu6)},
)
RELU_N1_TO_1 = replace(
    RELU,
    type="RELU_N1_TO_1",
    attributes=ReluN1To1,
    summary="min(max(x, -1), 1).",
    tflite={"RELU_N1_TO_1": _from_tflite(ReluN1To1)},
)
RELU_0_TO_1 = replace(
    RELU,
    type="RELU_0_TO_1",
    attributes=Relu0To1,
    summary="min(max(x, 0), 1).",
    tflite={"RELU_0_TO_1": _from_tflite(Relu0To1)},
)
LEAKY_RELU = OpKind(
    type="LEAKY_RELU",
    attributes=LeakyRelu,
    summary="x where it is positive, else alpha * x.",
    supports=("float32, int8, uint8", "int16 as LiteRT computes it"),
    tflite={"LEAKY_RELU": _leaky_from_tflite},
    infer=infer_same,
    check=_check,
    reference=_leaky_reference,
    lower=_lower_leaky,
    kernels=(LEAKY_F32, LEAKY_S16, TABLE_8),
    in_place=in_place,
    rows=same_rows,
    box=element_box,
)
PRELU = OpKind(
    type="PRELU",
    attributes=Prelu,
    summary="x where it is positive, else alpha * x with slopes from a tensor.",
    supports=("float32, int8, uint8; slopes that stretch to the input",),
    tflite={"PRELU": plain_rule(Prelu(), 2)},
    infer=_infer_prelu,
    check=_check_prelu,
    reference=_prelu_reference,
    lower=_lower_prelu,
    kernels=tuple(PRELU_KERNELS.values()),
    in_place=lambda node: in_place(node)[:1],
    rows=same_rows,
    box=element_box,
)
