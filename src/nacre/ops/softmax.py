"""SOFTMAX: exponentials of a row, divided by their sum, along the last axis."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor
from nacre.ops.boxes import vector_box
from nacre.ops.elementwise import call_each, in_place, infer_same, same_rows
from nacre.ops.fixedpoint import (
    quantize_multiplier,
    requantize,
    rounding_divide_by_pot,
    saturating_rounding_doubling_high_mul,
)
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
    real_meaning,
)
from nacre.ops.lookup import Function, input_radius, shared_table
from nacre.ops.transcendental import exp_of_negative, one_over_one_plus


@dataclass(frozen=True)
class Softmax(Attributes):
    """y = exp(beta x) / sum exp(beta x) over the last axis."""

    beta: float = 1.0
    # int16 tables and scales are computed as LiteRT does, not as TFLite Micro.
    litert: bool = False


@dataclass(frozen=True)
class SoftmaxParams(Params):
    c_type: ClassVar[str] = "nacre_softmax_params_t"
    depth: int = meaning("values that add up to one")
    entries: int = meaning("exponentials in the table: results beyond are zero")


@dataclass(frozen=True)
class SoftmaxWideParams(Params):
    c_type: ClassVar[str] = "nacre_softmax_wide_params_t"
    depth: int = meaning("values that add up to one")
    multiplier: int = meaning("scales differences to steps of 10 / 65535")
    shift: int = meaning("see multiplier")


@dataclass(frozen=True)
class SoftmaxFloatParams(Params):
    c_type: ClassVar[str] = "nacre_softmax_float_params_t"
    depth: int = meaning("values that add up to one")
    beta: float = real_meaning("factor of the input")


SOFTMAX_S8 = Kernel("nacre_softmax_s8", SoftmaxParams)
SOFTMAX_S8_S16 = Kernel("nacre_softmax_s8_s16", SoftmaxParams)
SOFTMAX_U8 = Kernel("nacre_softmax_u8", SoftmaxParams)
SOFTMAX_S16 = Kernel("nacre_softmax_s16", SoftmaxWideParams)
SOFTMAX_F32 = Kernel("nacre_softmax_f32", SoftmaxFloatParams)


@dataclass(frozen=True)
class Form:
    """One combination of element types; quantized outputs have a fixed scale and zero point."""

    reference: Callable[[Node, Array], Array]
    lower: Callable[[Node], Lowered]
    scale: float = 0.0
    zero_point: int = 0


Kinds: TypeAlias = tuple[DType, DType]


def _from_tflite(source: SourceNode) -> Imported:
    return Imported(Softmax(source.options.real("beta"), source.litert), inputs=(0,))


def _check(node: Node) -> str | None:
    x, y, beta = node.input(0), node.output, attributes(node, Softmax).beta
    form = FORMS.get((x.dtype, y.dtype))
    if form is None:
        known = "; ".join(f"{a.value}, {b.value}" for a, b in FORMS)
        return f"input, output are {x.dtype.value}, {y.dtype.value}; supported: {known}"
    if not x.shape or 0 in x.shape:
        return f"the input is {list(x.shape)}; supported: at least one dimension, none empty"
    if form.scale == 0.0:
        return None
    if abs(y.q.scale / form.scale - 1) > 1e-3 or y.q.zero_point != form.zero_point:
        return (
            f"the output has scale {y.q.scale:g} and zero point {y.q.zero_point}; "
            f"supported: {form.scale:g} and {form.zero_point}"
        )
    if not beta > 0:
        return f"beta is {beta:g}; supported: more than 0"
    return None if x.dtype is DType.INT16 else input_objection(x, beta)


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = values[0]
    assert x is not None
    rows = x.reshape(-1, x.shape[-1])
    form = FORMS[node.input(0).dtype, node.output.dtype]
    return (form.reference(node, rows).reshape(x.shape),)


def _lower(node: Node, options: LowerOptions) -> Lowered:
    return FORMS[node.input(0).dtype, node.output.dtype].lower(node)


# --- 8 bits -----------------------------------------------------------------------------------


def input_objection(x: Tensor, beta: float) -> str | None:
    """The sentence that refuses steps which Q5.26 cannot tell apart."""
    step = beta * x.q.scale
    return None if step * (1 << 26) > 1 else f"a step is {step:g}; supported: above 2^-26"


def input_multiplier(x: Tensor, beta: float) -> tuple[int, int]:
    """Multiplier and left shift from differences to Q5.26."""
    return quantize_multiplier(min(beta * x.q.scale * (1 << 26), (1 << 31) - 1.0))


def exponentials(x: Tensor, beta: float) -> Array:
    """exp(-beta * scale * d) in Q0.31 for d = 0, 1, … as far as fixed point reaches."""
    multiplier, shift = input_multiplier(x, beta)
    differences = -np.arange(min(255, input_radius(5, shift)) + 1, dtype=np.int64)
    scaled = saturating_rounding_doubling_high_mul(differences << shift, multiplier)
    return exp_of_negative(scaled).astype(np.int32)


def _reference_8(node: Node, rows: Array) -> Array:
    y = node.output
    low, high = y.dtype.range
    table = exponentials(node.input(0), attributes(node, Softmax).beta).astype(np.int64)
    wide = rows.astype(np.int64)
    distance = wide.max(axis=1, keepdims=True) - wide
    inside = distance < len(table)
    powers = np.where(inside, table[np.minimum(distance, len(table) - 1)], 0)
    total = rounding_divide_by_pot(powers, 12).sum(axis=1, keepdims=True)
    headroom = 32 - np.frexp(total.astype(np.float64))[1]
    scale = one_over_one_plus((total << headroom) - (1 << 31))
    exponent = 43 - headroom - 8 * y.dtype.size
    value = saturating_rounding_doubling_high_mul(powers, scale)
    result = np.minimum(rounding_divide_by_pot(value, exponent) + low, high)
    return np.where(inside, result, low).astype(y.dtype.numpy)


def _lower_8(kernel: Kernel) -> Callable[[Node], Lowered]:
    def lower(node: Node) -> Lowered:
        x, y = node.input(0), node.output
        table = shared_table("exp", exponentials(x, attributes(node, Softmax).beta))
        params = SoftmaxParams(depth=x.shape[-1], entries=table.elements)
        return Lowered((call_each(kernel, x, y, read(table), params),), (table,))

    return lower


# --- int16 ------------------------------------------------------------------------------------


def interpolation_table(function: Function, begin: float, end: float, dtype: type) -> Array:
    """513 samples of a function in Q0.15 whose chords are half as wrong in the middle.

    Computed in the precision `dtype`: results of TFLite Micro show that of float32.
    """
    step = dtype(end - begin) / dtype(512)
    inputs = dtype(begin) + np.arange(512).astype(dtype) * step
    here, middle, there = (
        function(x).astype(dtype) * dtype(32768)
        for x in (inputs, inputs + step / 2, dtype(begin) + np.arange(1, 513).astype(dtype) * step)
    )
    samples = _round(here)
    bias = _round((_round((there + samples) / 2) - _round(middle)) / 2)
    last = _round(function(np.array([end], dtype)).astype(dtype) * dtype(32768))
    table: Array = np.clip(np.append(samples - bias, last), -32768, 32767).astype(np.int16)
    return table


def _round(x: Array) -> Array:
    rounded: Array = np.copysign(np.floor(np.abs(x) + 0.5), x)
    return rounded


def _exp(x: Array) -> Array:
    return np.exp(x.astype(np.float64))


def _reciprocal(x: Array) -> Array:
    return 1 / (1 + x)


def wide_tables(softmax: Softmax) -> tuple[Array, Array]:
    """exp over [-10, 0] and 1 / (1 + x) over [0, 1]."""
    dtype = np.float64 if softmax.litert else np.float32
    return (
        interpolation_table(_exp, -10, 0, dtype),
        interpolation_table(_reciprocal, 0, 1, dtype),
    )


def _interpolate(table: Array, x: Array) -> Array:
    index, part = 256 + (x >> 7), x & 127
    base = table[index].astype(np.int64)
    slope = table[index + 1].astype(np.int64) - base
    value: Array = base + ((slope * part + 64) >> 7)
    return value


def wide_scaling(x: Tensor, softmax: Softmax) -> tuple[int, int]:
    """Multiplier and shift that bring differences to steps of 10 / 65535."""
    product = x.q.scale * softmax.beta
    if softmax.litert:
        product = float(np.float32(x.q.scale) * np.float32(softmax.beta))
    return quantize_multiplier(product / (10.0 / 65535.0))


def _reference_16(node: Node, rows: Array) -> Array:
    softmax = attributes(node, Softmax)
    exponentials, reciprocals = wide_tables(softmax)
    wide = rows.astype(np.int64)
    difference = wide - wide.max(axis=1, keepdims=True)
    scaled = requantize(difference, *wide_scaling(node.input(0), softmax))
    powers = _interpolate(exponentials, np.clip(scaled + 32767, -32768, 32767))
    total = powers.sum(axis=1, keepdims=True)
    headroom = 32 - np.frexp(total.astype(np.float64))[1]
    shifted = ((total << (headroom - 1)) + (1 << 13)) >> 14
    scale = _interpolate(reciprocals, np.clip(shifted - 98304, -32768, 32767))
    shift = 31 - headroom
    result = (powers * scale + (np.int64(1) << (shift - 1))) >> shift
    clamped: Array = np.clip(result, 0, 32767).astype(np.int16)
    return clamped


def _lower_16(node: Node) -> Lowered:
    x, y = node.input(0), node.output
    softmax = attributes(node, Softmax)
    tables = wide_tables(softmax)
    powers, reciprocals = shared_table("exp", tables[0]), shared_table("reciprocal", tables[1])
    multiplier, shift = wide_scaling(x, softmax)
    params = SoftmaxWideParams(depth=x.shape[-1], multiplier=multiplier, shift=shift)
    call = call_each(SOFTMAX_S16, x, y, read(powers), read(reciprocals), params)
    return Lowered((call,), (powers, reciprocals))


# --- float32 ----------------------------------------------------------------------------------


def _reference_float(node: Node, rows: Array) -> Array:
    beta = np.float32(attributes(node, Softmax).beta)
    powers = np.exp((rows - rows.max(axis=1, keepdims=True)) * beta)
    shares: Array = powers / powers.sum(axis=1, keepdims=True)
    return shares.astype(np.float32)


def _lower_float(node: Node) -> Lowered:
    x, y = node.input(0), node.output
    params = SoftmaxFloatParams(depth=x.shape[-1], beta=attributes(node, Softmax).beta)
    return Lowered((call_each(SOFTMAX_F32, x, y, params),))


# --- the row ----------------------------------------------------------------------------------

_S8, _U8, _S16, _F32 = DType.INT8, DType.UINT8, DType.INT16, DType.FLOAT32

FORMS: Mapping[Kinds, Form] = {
    (_S8, _S8): Form(_reference_8, _lower_8(SOFTMAX_S8), 1 / 256, -128),
    (_S8, _S16): Form(_reference_8, _lower_8(SOFTMAX_S8_S16), 1 / 65536, -32768),
    (_U8, _U8): Form(_reference_8, _lower_8(SOFTMAX_U8), 1 / 256, 0),
    (_S16, _S16): Form(_reference_16, _lower_16, 1 / 32768, 0),
    (_F32, _F32): Form(_reference_float, _lower_float),
}


SOFTMAX = OpKind(
    type="SOFTMAX",
    attributes=Softmax,
    summary="Exponentials divided by their sum along the last axis, any rank and beta.",
    supports=(
        "int8 to int8 and to int16",
        "uint8",
        "int16 with zero point 0",
        "float32",
    ),
    tflite={"SOFTMAX": _from_tflite},
    infer=infer_same,
    check=_check,
    reference=_reference,
    lower=_lower,
    kernels=(SOFTMAX_S8, SOFTMAX_S8_S16, SOFTMAX_U8, SOFTMAX_S16, SOFTMAX_F32),
    in_place=in_place,
    rows=same_rows,
    box=vector_box,
)
