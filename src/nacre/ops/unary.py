"""Functions of one value: ABS, NEG, SIGN, SQUARE, SQRT, RSQRT, EXP, LOG, SIN, COS, FLOOR, …"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from nacre.ir import Array, Attributes, DType, Node, Tensor
from nacre.ops.binary import kernels
from nacre.ops.boxes import element_box
from nacre.ops.elementwise import (
    call_each,
    in_place,
    infer_same,
    plain_rule,
    refuse_scales,
    refuse_types,
    refuse_zero_scales,
    same_rows,
    value,
)
from nacre.ops.fixedpoint import quantize_multiplier, requantize, saturate
from nacre.ops.kind import (
    Imported,
    Kernel,
    Lowered,
    LowerOptions,
    OpKind,
    SourceNode,
    attributes,
)
from nacre.ops.lookup import codes, float_table
from nacre.ops.quantize import RequantizeParams
from nacre.ops.roots import inverse_square_root
from nacre.ops.table import TABLE_8, lower_table

BOOL, FLOAT32 = DType.BOOL, DType.FLOAT32
INT8, INT16, INT32, INT64 = DType.INT8, DType.INT16, DType.INT32, DType.INT64

# An array to an array of the same type; the codes of an 8-bit tensor to those of another.
Function: TypeAlias = Callable[[Array], Array]
TableOf: TypeAlias = Callable[[Tensor, Tensor], Array]


@dataclass(frozen=True)
class Abs(Attributes):
    """The magnitude."""

    # Multipliers are quotients of float32 numbers (LiteRT), not of float64.
    single: bool = False


@dataclass(frozen=True)
class Neg(Attributes):
    """The value with the other sign."""


@dataclass(frozen=True)
class Sign(Attributes):
    """1, 0 or -1."""


@dataclass(frozen=True)
class Square(Attributes):
    """The value times itself."""


@dataclass(frozen=True)
class Sqrt(Attributes):
    """The square root."""


@dataclass(frozen=True)
class Rsqrt(Attributes):
    """One over the square root."""


@dataclass(frozen=True)
class Exp(Attributes):
    """e to the power of the value."""


@dataclass(frozen=True)
class Log(Attributes):
    """The natural logarithm."""


@dataclass(frozen=True)
class Sin(Attributes):
    """The sine."""


@dataclass(frozen=True)
class Cos(Attributes):
    """The cosine."""


@dataclass(frozen=True)
class Erf(Attributes):
    """The error function; ONNX files have it."""


@dataclass(frozen=True)
class Floor(Attributes):
    """Rounded down."""


@dataclass(frozen=True)
class Ceil(Attributes):
    """Rounded up."""


@dataclass(frozen=True)
class Round(Attributes):
    """Rounded to the nearest whole number, the even one at ties."""


@dataclass(frozen=True)
class LogicalNot(Attributes):
    """The opposite truth value."""


# --- 8-bit functions ------------------------------------------------------------------------------


def _square_roots(x: Tensor, y: Tensor) -> Array:
    """The root of the real value in steps of the output, rounded towards zero (LiteRT)."""
    real = (np.float32(x.q.scale) * (codes(x.dtype) - x.q.zero_point)).astype(np.float32)
    steps = np.trunc(np.sqrt(np.maximum(real, 0)) / np.float32(y.q.scale))
    return saturate(steps.astype(np.int64) + y.q.zero_point, y.dtype)


def _inverse_roots(x: Tensor, y: Tensor) -> Array:
    """1 / sqrt in fixed point; the largest value where the input is not positive."""
    centred = codes(x.dtype) - x.q.zero_point
    multiplier, shift = quantize_multiplier(1 / (np.sqrt(x.q.scale) * y.q.scale))
    results = [
        requantize(np.array(inverse_square_root(int(c), 20)), multiplier, shift - 20)
        if c > 0
        else np.array(1 << 20)
        for c in centred
    ]
    return saturate(np.array(results, np.int64) + y.q.zero_point, y.dtype)


def _real_table(function: Function) -> TableOf:
    def table(x: Tensor, y: Tensor) -> Array:
        with np.errstate(all="ignore"):
            return float_table(x, y, function)

    return table


def _error_function(x: Array) -> Array:
    result: Array = np.vectorize(math.erf, otypes=[np.float64])(x)
    return result


# --- rows -----------------------------------------------------------------------------------------


def unary_row(
    kind: Attributes, type: str, summary: str, types: tuple[DType, ...], function: Function,
    table: TableOf | None = None,
) -> OpKind:  # fmt: skip
    """An operator by its numpy function and, for int8, by the table of its results."""
    plain = kernels(type.lower(), types)
    known = types if table is None else (*types, INT8)

    def check(node: Node) -> str | None:
        objection = refuse_types(node, [(t, t) for t in known]) or refuse_scales(node)
        return objection or refuse_zero_scales(node)

    def reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
        x, y = value(values, 0), node.output
        if table is not None and y.dtype is INT8:
            return (table(node.input(0), y)[x.view(np.uint8)],)
        with np.errstate(all="ignore"):
            return (function(x).astype(y.dtype.numpy),)

    def lower(node: Node, options: LowerOptions) -> Lowered:
        x, y = node.input(0), node.output
        if table is not None and y.dtype is INT8:
            found = table(x, y)
            return lower_table(node, type.lower(), lambda c: found[c.view(np.uint8)])
        return Lowered((call_each(plain[y.dtype], x, y),))

    return OpKind(
        type=type,
        attributes=kind.__class__,
        summary=summary,
        supports=(", ".join(t.value for t in known),),
        tflite={type: plain_rule(kind, 1)},
        infer=infer_same,
        check=check,
        reference=reference,
        lower=lower,
        kernels=(*plain.values(), *(() if table is None else (TABLE_8,))),
        in_place=in_place,
        rows=same_rows,
        box=element_box,
    )


FLOAT = (FLOAT32,)
NEG = unary_row(Neg(), "NEG", "-x.", (FLOAT32, INT32, INT64), np.negative)
SIGN = unary_row(
    Sign(), "SIGN", "1, 0 or -1 as x is above, at or below 0.", (FLOAT32, INT32), np.sign
)
SQUARE = unary_row(Square(), "SQUARE", "x * x.", FLOAT, np.square)
SQRT = unary_row(Sqrt(), "SQRT", "Square root.", FLOAT, np.sqrt, _square_roots)
RSQRT = unary_row(
    Rsqrt(), "RSQRT", "One over the square root.", FLOAT, lambda x: 1 / np.sqrt(x), _inverse_roots
)
EXP = unary_row(Exp(), "EXP", "Exponential.", FLOAT, np.exp, _real_table(np.exp))
LOG = unary_row(Log(), "LOG", "Natural logarithm.", FLOAT, np.log, _real_table(np.log))
SIN = unary_row(Sin(), "SIN", "Sine.", FLOAT, np.sin)
COS = unary_row(Cos(), "COS", "Cosine.", FLOAT, np.cos)
ERF = replace(unary_row(Erf(), "ERF", "Error function.", FLOAT, _error_function), tflite={})
FLOOR = unary_row(Floor(), "FLOOR", "Rounded down.", FLOAT, np.floor)
CEIL = unary_row(Ceil(), "CEIL", "Rounded up.", FLOAT, np.ceil)
ROUND = unary_row(Round(), "ROUND", "Rounded to the nearest, ties to even.", FLOAT, np.rint)
LOGICAL_NOT = unary_row(LogicalNot(), "LOGICAL_NOT", "Opposite of x.", (BOOL,), np.logical_not)


# --- ABS: the one whose scale may change ----------------------------------------------------------

ABS_KERNELS = {
    **kernels("abs", (FLOAT32, INT32, INT64)),
    INT16: Kernel("nacre_abs_s16", RequantizeParams),
}


def _abs_from_tflite(source: SourceNode) -> Imported:
    return Imported(Abs(source.litert), (0,))


def _abs_check(node: Node) -> str | None:
    return refuse_types(node, [(t, t) for t in (*ABS_KERNELS, INT8)]) or refuse_scales(node)


def _abs_multiplier(node: Node) -> tuple[int, int]:
    x, y = node.input(0).q.scale, node.output.q.scale
    single = attributes(node, Abs).single
    return quantize_multiplier(float(np.float32(x) / np.float32(y)) if single else x / y)


def _magnitudes(node: Node, x: Array) -> Array:
    y = node.output
    centred = np.abs(x.astype(np.int64) - node.input(0).q.zero_point)
    return saturate(requantize(centred, *_abs_multiplier(node)) + y.q.zero_point, y.dtype)


def _abs_reference(node: Node, values: tuple[Array | None, ...]) -> tuple[Array, ...]:
    x = value(values, 0)
    return (_magnitudes(node, x) if node.output.dtype in (INT8, INT16) else np.abs(x),)


def _lower_abs(node: Node, options: LowerOptions) -> Lowered:
    x, y = node.input(0), node.output
    if y.dtype is INT8:
        return lower_table(node, "abs", lambda c: _magnitudes(node, c))
    kernel = ABS_KERNELS[y.dtype]
    if y.dtype is not INT16:
        return Lowered((call_each(kernel, x, y),))
    params = RequantizeParams(
        -x.q.zero_point, *_abs_multiplier(node), y.q.zero_point, *y.dtype.range
    )
    return Lowered((call_each(kernel, x, y, params),))


ABS = replace(
    NEG,
    type="ABS",
    attributes=Abs,
    summary="Magnitude.",
    supports=("float32, int32, int64", "int8, int16, also to another scale"),
    tflite={"ABS": _abs_from_tflite},
    check=_abs_check,
    reference=_abs_reference,
    lower=_lower_abs,
    kernels=(*ABS_KERNELS.values(), TABLE_8),
)
