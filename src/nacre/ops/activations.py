"""HARD_SWISH, ELU, GELU: smooth activations; 8-bit ones are tables."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import (
    call_each,
    in_place,
    infer_same,
    plain_rule,
    refuse_scales,
    refuse_types,
    same_rows,
    value,
)
from nacre.ops.fixedpoint import quantize_multiplier, rounding_divide_by_pot, saturate
from nacre.ops.kind import (
    Imported,
    ImportRule,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    SourceNode,
    attributes,
)
from nacre.ops.lookup import codes, float_table
from nacre.ops.table import TABLE_8, lower_table

INT8, UINT8, FLOAT32 = DType.INT8, DType.UINT8, DType.FLOAT32
# Hard swish works on inputs of 1/128 of their scale, and only scales those down.
MOST_RATIO = 128
INT16_LOW, INT16_HIGH = DType.INT16.range


@dataclass(frozen=True)
class HardSwish(Attributes):
    """x * min(max(x + 3, 0), 6) / 6."""


@dataclass(frozen=True)
class Elu(Attributes):
    """x where it is positive, else exp(x) - 1."""


@dataclass(frozen=True)
class Gelu(Attributes):
    """x times the Gaussian distribution at x, or an approximation of it by tanh."""

    approximate: bool = False


def _hard_swish(x: Array) -> Array:
    result: Array = x * np.clip(x + 3, 0, 6) / 6
    return result


def _elu(x: Array) -> Array:
    return np.where(x < 0, np.expm1(np.minimum(x, 0)), x)


def _gelu(x: Array) -> Array:
    erf = np.vectorize(math.erf, otypes=[np.float64])
    result: Array = 0.5 * x * (1 + erf(x * math.sqrt(0.5)))
    return result


def _gelu_tanh(x: Array) -> Array:
    result: Array = 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return result


# --- hard swish in 16-bit fixed point -------------------------------------------------------------


def _hard_swish_table(x: Tensor, y: Tensor) -> Array:
    """The codes of y for all codes of x; intermediate values are int16."""
    fine = np.float32(1 / 128) * np.float32(x.q.scale)
    output, output_shift = _narrow_multiplier(float(fine / np.float32(y.q.scale)))
    slope, slope_shift = _narrow_multiplier(float(fine / (np.float32(3) / np.float32(32768))))
    hires = (codes(x.dtype) - x.q.zero_point) << 7
    gate = _shift_left(hires, slope_shift - 1) if slope_shift > 0 else hires
    gate = _rounded_product(gate, slope)
    gate = _shift_left(gate, 1) if slope_shift > 0 else rounding_divide_by_pot(gate, -slope_shift)
    gate = (gate + (1 << 15)) >> 1
    product = gate * _rounded_product(hires, output)
    cut = np.sign(product) * (np.abs(product) >> 15)
    return saturate(rounding_divide_by_pot(cut, -output_shift) + y.q.zero_point, y.dtype)


def _narrow_multiplier(real: float) -> tuple[int, int]:
    """A multiplier with a 15-bit fraction."""
    multiplier, shift = quantize_multiplier(real)
    return min((multiplier + (1 << 15)) >> 16, INT16_HIGH), shift


def _shift_left(x: Array, bits: int) -> Array:
    result: Array = np.clip(x << bits, INT16_LOW, INT16_HIGH)
    return result


def _rounded_product(a: Array, b: int) -> Array:
    """round(a * b / 2^15), ties up, saturated."""
    result: Array = np.minimum((a * b + (1 << 14)) >> 15, INT16_HIGH)
    return result


# --- rows -----------------------------------------------------------------------------------------


def _table(node: Node) -> Array:
    kind, x, y = node.operator.attributes, node.input(0), node.output
    if isinstance(kind, HardSwish):
        return _hard_swish_table(x, y)
    return float_table(x, y, _function(kind))


def _function(kind: Attributes) -> Callable[[Array], Array]:
    if isinstance(kind, Gelu):
        return _gelu_tanh if kind.approximate else _gelu
    return _hard_swish if isinstance(kind, HardSwish) else _elu


def _reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = value(values, 0)
    if node.output.dtype is FLOAT32:
        exact = _function(node.operator.attributes)(x.astype(np.float64))
        return (exact.astype(np.float32),)
    return (_table(node)[x.view(np.uint8)],)


def _row(
    kind: type[Attributes], type: str, summary: str, types: tuple[DType, ...],
    kernels: tuple[Kernel, ...], rule: ImportRule,
) -> OpKind:  # fmt: skip
    def check(node: Node) -> str | None:
        objection = refuse_types(node, [(t, t) for t in types]) or refuse_scales(node)
        if objection is None and node.output.dtype is not FLOAT32:
            ratio = node.input(0).q.scale / node.output.q.scale
            if kind is HardSwish and ratio >= MOST_RATIO:
                return f"the input's scale is {ratio:.3g} times the output's; supported: below 128"
        return objection

    def lower(node: Node, options: LowerOptions) -> Lowered:
        x, y = node.input(0), node.output
        if y.dtype is FLOAT32:
            approximate = (
                isinstance(node.operator.attributes, Gelu) and attributes(node, Gelu).approximate
            )
            return Lowered((call_each(kernels[1 if approximate else 0], x, y),))
        found = _table(node)
        return lower_table(node, type.lower(), lambda c: found[c.view(np.uint8)])

    return OpKind(
        type=type,
        attributes=kind,
        summary=summary,
        supports=(", ".join(t.value for t in types),),
        tflite={type: rule},
        infer=infer_same,
        check=check,
        reference=_reference,
        lower=lower,
        kernels=(*kernels, TABLE_8),
        in_place=in_place,
        rows=same_rows,
        box=element_box,
    )


def _gelu_from_tflite(source: SourceNode) -> Imported:
    return Imported(Gelu(source.options.flag("approximate")), (0,))


HARD_SWISH = _row(
    HardSwish,
    "HARD_SWISH",
    "x * min(max(x + 3, 0), 6) / 6.",
    (FLOAT32, INT8, UINT8),
    (Kernel("nacre_hard_swish_f32"),),
    plain_rule(HardSwish(), 1),
)
ELU = _row(
    Elu,
    "ELU",
    "x where it is positive, else exp(x) - 1.",
    (FLOAT32, INT8),
    (Kernel("nacre_elu_f32"),),
    plain_rule(Elu(), 1),
)
GELU = _row(
    Gelu,
    "GELU",
    "x times the Gaussian distribution at x, exact or approximated by tanh.",
    (FLOAT32, INT8, UINT8),
    (Kernel("nacre_gelu_f32"), Kernel("nacre_gelu_tanh_f32")),
    _gelu_from_tflite,
)
